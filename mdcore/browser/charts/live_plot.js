/** Lines and points of a figure from Python, drawn on a canvas with the fixed axes of the figure. */

import { OVERHANG, clipTo, createFrame, crisp, drawGrid, drawXAxis, drawYAxis, inkText, niceStep, setFont, setLine, shorten, strokeLine, widestTick } from "../canvas/axes.js";
import { createPainter } from "../canvas/painter.js";
import { createSurface } from "../canvas/surface.js";
import { watchAppearance } from "../shell/appearance.js";
import { h } from "../shell/dom.js";
import { short } from "../shell/format.js";
import { createThemes } from "../shell/theme.js";

/**
 * @typedef {object} FigureLine  nulls are gaps; points are drawn if `size` is not 0
 * @property {(number | null)[]} x
 * @property {(number | null)[]} y
 * @property {string} name
 * @property {boolean} told  whether hovering shows its values
 * @property {string} color
 * @property {number} width
 * @property {number[]} dash
 * @property {boolean} steps
 * @property {number} size
 *
 * @typedef {object} LiveFigure
 * @property {string} words
 * @property {number} height
 * @property {Span & {title: string}} x
 * @property {Span & {title: string}} y
 * @property {FigureLine[]} lines
 * @property {{x: number, color: string, width: number}[]} marks  vertical lines
 */

const NEAR = 24; // px
const SAMPLE = 26; // px, length of a line in the legend
const THEMES = createThemes([]);

/** @param {HTMLElement} parent */
export function createLivePlot(parent) {
  const root = h("div", { class: "ml-stage ml-live-plot", "data-testid": "live-plot" });
  parent.append(root);
  const painter = createPainter(paint);
  const surface = createSurface(root, { projector: false });
  const appearance = watchAppearance(root, painter.ask);
  /** @type {LiveFigure} */
  let figure;
  /** @type {Frame | null} */
  let frame = null;

  /** @param {boolean} resized */
  function paint(resized) {
    if (resized) surface.measure();
    if (!surface.ready()) return;
    const pen = surface.base;
    pen.clearRect(0, 0, surface.width, surface.height);
    surface.describe(figure.words);
    surface.hideTip();
    const { type } = surface;
    const theme = appearance.dark ? THEMES.dark : THEMES.light;
    const yStep = niceStep(figure.y.high - figure.y.low, 5);
    pen.font = type.smallFont;
    const left = widestTick(pen, figure.y.low, figure.y.high, yStep) + type.line + 12;
    const top = figure.lines.some(({ name }) => name) ? 1.5 * type.line : type.small;
    const [wide, high] = [surface.width - left - OVERHANG, surface.height - top - 2 * type.line - 10];
    if (wide < 20 || high < 20) return;
    frame = createFrame(left, top, wide, high, figure.x, figure.y);
    const xStep = niceStep(figure.x.high - figure.x.low, wide / 60);
    drawGrid(pen, frame, xStep, yStep, theme);
    drawXAxis(pen, frame, { step: xStep, label: figure.x.title, inline: false }, type, theme);
    drawYAxis(pen, frame, { step: yStep, label: figure.y.title, inline: false }, type, theme);
    paintLegend(pen, frame, figure.lines, type, theme);
    clipTo(pen, { left: left - 1, top: top - 1, width: wide + 2, height: high + 2 });
    for (const { x, color, width } of figure.marks) {
      setLine(pen, width, color);
      strokeLine(pen, crisp(frame.toX(x)), frame.top, crisp(frame.toX(x)), frame.bottom);
    }
    for (const line of figure.lines) paintLine(pen, frame, line);
    pen.restore();
  }

  surface.cover.addEventListener("pointermove", (event) => {
    const at = surface.at(event);
    const found = frame && nearest(frame, figure.lines, at.x, at.y);
    if (found) surface.showTip([found.name, `${short(found.x)}, ${short(found.y)}`].filter(Boolean), at.x, at.y);
    else surface.hideTip();
  });
  surface.cover.addEventListener("pointerleave", surface.hideTip);

  return {
    /** @param {LiveFigure} given */
    show(given) {
      const first = !figure;
      figure = given;
      root.style.setProperty("--ml-plot-height", `${figure.height}px`);
      if (first) {
        painter.watch(root);
        appearance.check();
      } else painter.ask();
    },
    resize: painter.askResize,
    destroy() {
      painter.stop();
      surface.destroy();
      root.remove();
    },
  };
}

/** @param {Pen} pen @param {Frame} frame @param {FigureLine} line */
function paintLine(pen, frame, { x, y, color, width, dash, steps, size }) {
  pen.beginPath();
  let before = NaN; // height of the previous point, if any
  x.forEach((each, i) => {
    const up = y[i];
    if (each === null || up === null) {
      before = NaN;
      return;
    }
    const [px, py] = [frame.toX(each), frame.toY(up)];
    if (size) {
      pen.moveTo(px + size / 2, py);
      pen.arc(px, py, size / 2, 0, 2 * Math.PI);
    } else if (Number.isNaN(before)) pen.moveTo(px, py);
    else {
      if (steps) pen.lineTo(px, before);
      pen.lineTo(px, py);
    }
    before = py;
  });
  setLine(pen, size ? 1 : width, size ? "#ffffff" : color);
  pen.setLineDash(dash);
  if (size) {
    pen.fillStyle = color;
    pen.fill();
  }
  pen.stroke();
  pen.setLineDash([]);
}

/** @param {Pen} pen @param {Frame} frame @param {FigureLine[]} lines @param {Type} type @param {Theme} theme */
function paintLegend(pen, frame, lines, type, theme) {
  const named = lines.filter(({ name, size }) => name && !size);
  setFont(pen, type.smallFont, "left", "middle");
  const room = frame.width / named.length;
  named.forEach(({ name, color, width, dash }, i) => {
    const from = frame.left + i * room;
    setLine(pen, width, color);
    pen.setLineDash(dash);
    strokeLine(pen, from, type.line / 2, from + SAMPLE, type.line / 2);
    pen.setLineDash([]);
    inkText(pen, shorten(pen, name, room - SAMPLE - 2 * 6), from + SAMPLE + 6, type.line / 2, theme.text);
  });
}

/**
 * Returns the point of a line nearest to the pointer, if one is close.
 * @param {Frame} frame @param {FigureLine[]} lines @param {number} px @param {number} py
 */
export function nearest(frame, lines, px, py) {
  let best = NEAR;
  let found = null;
  for (const { x, y, name, told } of lines) {
    for (let i = 0; told && i < x.length; i++) {
      const [each, up] = [x[i], y[i]];
      if (each === null || up === null) continue;
      const apart = Math.hypot(frame.toX(each) - px, frame.toY(up) - py);
      if (apart >= best) continue;
      best = apart;
      found = { name, x: each, y: up };
    }
  }
  return found;
}
