/** mcODM's objective (1) at the start and after every outer step: its excess over the last value, on a log axis. */

import { OVERHANG, createFrame, drawGrid, drawXAxis, drawYAxis, haloText, setFont, setLine } from "../canvas/axes.js";
import { plural, powerOf, short } from "../shell/format.js";
import { createPlainChart } from "./plain_chart.js";
import { lineInk } from "../shell/theme.js";

/**
 * @typedef {{left: number, right: number, middle: number}} Label
 */

const LEAST = 1e-9; // a smaller excess is drawn at the bottom

/** @param {HTMLElement} host @param {ViewStage} stage */
export const createOuter = (host, stage) => createPlainChart(host, stage, paint);

/** @param {Surface} surface @param {ClassScene} scene @param {Theme} theme */
function paint(surface, scene, theme) {
  if (!scene.outer) return "";
  const { path, gap, converged } = scene.outer;
  const color = scene.panels.find(({ key }) => key === "mcodm")?.color ?? theme.text;
  const last = path[path.length - 1];
  const excess = path.map((value) => Math.log10(Math.max((value - last) / last, LEAST)));
  const frame = layOut(surface, excess);
  if (!frame) return "";
  const { base: context, type } = surface;
  const step = Math.max(1, Math.ceil(path.length / 12));
  const yStep = Math.max(1, Math.ceil((frame.y.high - frame.y.low) / Math.max(2, frame.height / (1.6 * type.line))));
  drawGrid(context, frame, step, yStep, theme);
  paintPath(surface, frame, excess, path, lineInk(color, theme), theme);
  drawXAxis(context, frame, { step, label: "outer step", inline: false }, type, theme);
  drawYAxis(context, frame, { step: yStep, label: "above the last", inline: false, text: (exponent) => powerOf(10, Math.round(exponent)) }, type, theme);
  const state = converged ? "converged" : "not converged";
  return `Objective of mcODM after ${plural(path.length - 1, "outer step")}, ${state}, certified gap ${short(gap, 2)}: ${path.map((value) => short(value, 5)).join(", ")}.`;
}

/** @param {Surface} surface @param {number[]} excess */
function layOut({ base, type, width, height }, excess) {
  base.font = type.smallFont;
  const before = Math.ceil(base.measureText("10⁻⁹").width) + 8 + type.line;
  const wide = width - before - OVERHANG;
  const high = height - 3 - 2 * type.line - 6;
  if (wide < 20 || high < 20) return null;
  const reached = excess.slice(0, -1);
  const low = Math.floor(Math.min(-1, ...reached)) - 1;
  const x = { low: -0.3, high: Math.max(1, excess.length - 1) + 0.3 };
  return createFrame(before, 3, wide, high, x, { low, high: Math.ceil(Math.max(0, ...reached)) + 0.4 });
}

/**
 * @param {Surface} surface @param {Frame} frame @param {number[]} excess @param {number[]} path
 * @param {string} ink @param {Theme} theme
 */
function paintPath({ base: context, type }, frame, excess, path, ink, theme) {
  const last = excess.length - 1;
  const at = excess.map((value, i) => ({ x: frame.toX(i), y: i === last ? frame.bottom - 4 : frame.toY(Math.max(value, frame.y.low)) }));
  context.beginPath();
  at.forEach(({ x, y }, i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  setLine(context, type.projector ? 3 : 2, ink);
  context.stroke();
  context.beginPath();
  for (const { x, y } of at) {
    context.moveTo(x + 4, y);
    context.arc(x, y, 4, 0, 2 * Math.PI);
  }
  context.fillStyle = ink;
  context.fill();
  labelPath(context, frame, at, path, type, theme);
}

/**
 * Writes the objective beside its point: the last, the first, and any others that have room.
 * @param {Pen} context @param {Frame} frame @param {Point[]} at @param {number[]} path @param {Type} type
 * @param {Theme} theme
 */
function labelPath(context, frame, at, path, type, theme) {
  setFont(context, type.smallFont, "left", "middle");
  /** @type {Label[]} */
  const taken = [];
  for (const i of new Set([at.length - 1, ...at.keys()])) {
    const { x, y } = at[i];
    const words = short(path[i], 5);
    const wide = context.measureText(words).width;
    const left = Math.min(x + 8, frame.right - wide);
    const middle = y - type.line < frame.top ? y + 0.7 * type.line : y - 0.7 * type.line;
    /** @param {Label} other */
    const meets = (other) => left < other.right + 4 && left + wide > other.left - 4 && Math.abs(middle - other.middle) < type.line;
    if (taken.some(meets)) continue;
    taken.push({ left, right: left + wide, middle });
    haloText(context, words, left, middle, theme.text, theme.halo);
  }
}
