import { download } from "./shell/export.js";
import { rasterise } from "./shell/figure.js";

const GAP = 16;
const SVG = "http://www.w3.org/2000/svg";
const INKS = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin",
  "font-family", "font-size", "font-weight", "text-anchor",
];

/**
 * Two buttons that save the charts of a page as one picture, PNG or SVG.
 * @param {{parentElement: HTMLElement, data: {name: string}}} given
 */
export default function picture({ parentElement, data: { name } }) {
  const note = document.createElement("p");
  note.setAttribute("role", "status");
  note.style.cssText = "margin: 0; font-size: 0.875em";
  const buttons = ["PNG", "SVG"].map((format) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Picture of the charts (${format})`;
    button.style.cssText = "display: block; padding: 6px 0; border: 0; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer";
    button.addEventListener("click", () => {
      const figure = drawCharts();
      note.textContent = figure ? "" : "There is no chart yet: wait for it, or choose a view with a chart.";
      if (figure) keep(figure, name, format.toLowerCase());
    });
    return button;
  });
  parentElement.replaceChildren(...buttons, note);
}

/** @param {NonNullable<ReturnType<typeof drawCharts>>} figure @param {string} name @param {string} format */
async function keep(figure, name, format) {
  const blob = format === "svg" ? new Blob([figure.text], { type: "image/svg+xml" }) : await rasterise(figure);
  download(blob, `${name}.${format}`);
}

/** Draws all charts of the page, one below the other. */
function drawCharts() {
  const charts = [...document.querySelectorAll(".js-plotly-plot, .ml-live-plot, .ml-drawing svg[viewBox][role=img]")]
    .filter((chart) => chart.checkVisibility()
      && (chart instanceof SVGElement || chart.querySelector(".main-svg, canvas.ml-drawing-base")));
  if (!charts.length) return null;
  const ground = getComputedStyle(document.querySelector(".stApp") ?? document.body).backgroundColor;
  let height = 0;
  const parts = charts.map((chart) => {
    const box = chart.getBoundingClientRect();
    const layers = chart instanceof SVGElement ? [styledText(chart, height, box)]
      : [...chart.querySelectorAll(".main-svg")].map((layer) => textOf(layer, height));
    const canvas = /** @type {HTMLCanvasElement | null} */ (chart.querySelector("canvas.ml-drawing-base"));
    if (canvas) layers.push(`<image y="${height}" width="${box.width}" height="${box.height}" href="${canvas.toDataURL()}"/>`);
    height += box.height + GAP;
    return layers.join("");
  });
  const width = Math.max(...charts.map((chart) => chart.getBoundingClientRect().width));
  const text = `<svg xmlns="${SVG}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
    + `<rect width="100%" height="100%" fill="${ground}"/>${parts.join("")}</svg>`;
  return { text, width, height };
}

/** Returns a layer of a chart as SVG markup, moved down. @param {Element} layer @param {number} down */
function textOf(layer, down) {
  const copy = /** @type {Element} */ (layer.cloneNode(true));
  for (const left of copy.querySelectorAll(".drag, .draglayer, .hoverlayer, .zoombox, .select-outline")) left.remove();
  copy.setAttribute("y", String(down));
  return new XMLSerializer().serializeToString(copy);
}

/**
 * Returns a drawing as SVG markup, moved down, with the styles that it has on the page.
 * @param {SVGElement} drawing @param {number} down @param {DOMRect} box
 */
function styledText(drawing, down, box) {
  const copy = /** @type {SVGElement} */ (drawing.cloneNode(true));
  const parts = copy.querySelectorAll("*");
  drawing.querySelectorAll("*").forEach((part, at) => {
    const style = getComputedStyle(part);
    for (const name of INKS) parts[at].setAttribute(name, style.getPropertyValue(name));
  });
  for (const [name, value] of Object.entries({ y: down, width: box.width, height: box.height })) {
    copy.setAttribute(name, String(value));
  }
  return new XMLSerializer().serializeToString(copy);
}
