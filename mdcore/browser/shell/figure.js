/** The picture on screen as a complete figure for paper and slides: title, settings, panels, charts, legend, numbers. */

import { wrapText } from "../canvas/axes.js";

const WIDTH = 1600;
const MARGIN = 40;
const GAP = 24;
const TEXT = 20;
const LINE = 28;
const PER_ROW = 2; // charts in a row
const FONT = "Arial, Helvetica, sans-serif"; // available wherever the figure is opened
const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {{text: string, size?: number, bold?: boolean, color?: string, end?: boolean}} Words
 */

/**
 * @param {HTMLElement} root @param {HTMLElement} views @param {{sentence: string, settings: string}} told
 * @returns {{text: string, width: number, height: number}} an SVG document
 */
export function drawFigure(root, views, { sentence, settings }) {
  const { backgroundColor: ground, color: ink } = getComputedStyle(root);
  const pen = /** @type {Pen} */ (document.createElement("canvas").getContext("2d"));
  /** @type {string[]} */
  const parts = [];
  let y = MARGIN;

  /** @param {number} x @param {number} base @param {Words} words */
  function write(x, base, { text, size = TEXT, bold = false, color = ink, end = false }) {
    parts.push(`<text x="${x}" y="${base}" font-size="${size}" fill="${color}"${bold ? ' font-weight="bold"' : ""}${end ? ' text-anchor="end"' : ""}>${escape(text)}</text>`);
  }

  /** @param {string} text @param {number} size @param {boolean} bold */
  function paragraph(text, size, bold) {
    pen.font = `${bold ? "bold " : ""}${size}px ${FONT}`;
    for (const line of wrapText(pen, text, WIDTH - 2 * MARGIN)) {
      y += 1.3 * size;
      write(MARGIN, y, { text: line, size, bold });
    }
  }

  /** @param {{title: string, color?: string, canvas: HTMLCanvasElement}[]} pictures @param {number} columns */
  function row(pictures, columns) {
    for (let from = 0; from < pictures.length; from += columns) {
      const shown = pictures.slice(from, from + columns);
      const wide = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns;
      const heights = shown.map(({ canvas }) => (wide * canvas.height) / canvas.width);
      shown.forEach(({ title, color, canvas }, at) => {
        const x = MARGIN + at * (wide + GAP);
        write(x, y + LINE, { text: title, bold: true, color });
        parts.push(`<image x="${x}" y="${y + LINE + 8}" width="${wide}" height="${heights[at]}" href="${canvas.toDataURL()}"/>`);
      });
      y += LINE + 8 + Math.max(...heights) + 8;
    }
  }

  paragraph(sentence, 28, true);
  paragraph(settings, 18, false);
  y += 8;
  const panels = shownOf(views, ".ml-panel, .ml-lecture-panel").map((panel) => {
    const title = /** @type {HTMLElement} */ (panel.querySelector("h2"));
    return { title: title.textContent ?? "", color: getComputedStyle(title).color, canvas: canvasOf(panel) };
  });
  row(panels, panels.length);
  const charts = shownOf(views, ".ml-chart, .ml-lecture-chart").filter((chart) => chart.querySelector("canvas"));
  row(charts.map((chart) => ({ title: chart.querySelector("h2")?.textContent ?? "", canvas: canvasOf(chart) })), PER_ROW);
  y = legend(views, parts, write, y);
  y = table(views, parts, write, y, ink);
  y = bounds(views, write, y);
  const height = Math.ceil(y + MARGIN);
  return {
    width: WIDTH,
    height,
    text: `<svg xmlns="${SVG}" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="${FONT}">`
      + `<rect width="100%" height="100%" fill="${ground}"/>${parts.join("")}</svg>`,
  };
}

/** Returns the visible pictures that match a selector. @param {HTMLElement} views @param {string} sort */
const shownOf = (views, sort) => [...views.querySelectorAll(sort)].filter((part) => !part.closest("[hidden]"));

/** @param {Element} part */
const canvasOf = (part) => /** @type {HTMLCanvasElement} */ (part.querySelector(".ml-drawing-base") ?? part.querySelector("canvas"));

/** @param {HTMLElement} views @param {string[]} parts @param {(x: number, y: number, words: Words) => void} write @param {number} top */
function legend(views, parts, write, top) {
  let x = MARGIN;
  const y = top + LINE;
  for (const entry of views.querySelectorAll(".ml-legend > span")) {
    const canvas = entry.querySelector("canvas");
    if (!canvas) continue;
    parts.push(`<image x="${x}" y="${y - TEXT}" width="26" height="26" href="${canvas.toDataURL()}"/>`);
    write(x + 32, y, { text: entry.textContent ?? "" });
    x += 32 + 0.56 * TEXT * (entry.textContent ?? "").length + GAP;
  }
  return y + 12;
}

/**
 * Writes the numbers, one column for each statistic.
 * @param {HTMLElement} views @param {string[]} parts @param {(x: number, y: number, words: Words) => void} write
 * @param {number} top @param {string} ink
 */
function table(views, parts, write, top, ink) {
  let y = top;
  const caption = views.querySelector(".ml-table-frame caption")?.textContent ?? "";
  if (views.querySelector(".ml-table-frame")?.closest("[hidden]")) return y;
  y += LINE;
  write(MARGIN, y, { text: caption });
  for (const line of views.querySelectorAll(".ml-table-frame tr")) {
    if (!(line instanceof HTMLElement) || line.closest("[hidden]")) continue;
    y += LINE;
    const cells = [...line.children];
    const first = cells[0].classList.contains("ml-method") || line.closest("thead, tfoot") ? 0 : 1;
    cells.forEach((cell, at) => {
      const column = at + first + (line.closest("tfoot") && at ? 5 : 0);
      const text = (cell.querySelector(".ml-value") ?? cell).textContent ?? "";
      if (column < 2) write(MARGIN + column * 260, y, { text, bold: cell.classList.contains("ml-method") });
      else write(MARGIN + 360 + (column - 1) * ((WIDTH - 2 * MARGIN - 360) / 6), y, { text, end: true });
    });
    if (line.closest("thead")) parts.push(`<path d="M${MARGIN} ${y + 7}H${WIDTH - MARGIN}" stroke="${ink}" stroke-opacity="0.4"/>`);
  }
  return y;
}

/**
 * Writes the bounds, one line each.
 * @param {HTMLElement} views @param {(x: number, y: number, words: Words) => void} write @param {number} top
 */
function bounds(views, write, top) {
  let y = top + 12;
  for (const line of shownOf(views, ".ml-lecture-bounds tr")) {
    y += LINE;
    [...line.children].forEach((cell, at) => write(MARGIN + at * 260 + (at > 1 ? 200 : 0), y, { text: cell.textContent ?? "", bold: cell.tagName === "TH" }));
  }
  return y;
}

/** @param {string} text */
const escape = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** Renders the figure as a PNG. @param {{text: string, width: number, height: number}} figure @returns {Promise<Blob>} */
export async function rasterise({ text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((settle, fail) => canvas.toBlob((blob) => (blob ? settle(blob) : fail(new Error("The picture is too large.")))));
}
