/** The margins class by class: a row for each class and a column for each method, with common axes. */

import { percent, short, steady } from "../shell/format.js";
import { addGlyph, cornersOf, inkGlyphs } from "../canvas/glyphs.js";
import { createFrame, crisp, drawXAxis, haloText, inkText, niceStep, setFont, setLine, shorten, strokeDashed, strokeLine } from "../canvas/axes.js";
import { marginLabel } from "./margin_axis.js";
import { className, countsOf } from "../state/class_filter.js";
import { createPlainChart, paintMissing } from "./plain_chart.js";
import { binSteps } from "../canvas/steps.js";
import { classInk, wordInk } from "../shell/theme.js";

/**
 * @import { PlainView } from "./plain_chart.js"
 *
 * @typedef {{panel: Panel, label: number, frame: Frame}} Place
 * @typedef {Place & {column: number}} Cell
 */

const FADED = 0.3;
const WIDEST_MEAN = "mean −0.0123";

/** @param {HTMLElement} host @param {ViewStage} stage */
export const createClasses = (host, stage) => createPlainChart(host, stage, paint);

/** @param {Surface} surface @param {ClassScene} scene @param {Theme} theme @param {PlainView} view */
function paint(surface, scene, theme, { splits, chosen }) {
  const panels = scene.panels.filter(({ key }) => scene.byClass[key]);
  if (!panels.length) return paintMissing(surface, "No method has a result.", theme);
  const { cells, step } = layOut(surface, scene, panels, splits);
  if (!cells.length) return "";
  paintHeads(surface, scene, panels, cells, theme);
  for (const cell of cells) {
    surface.base.globalAlpha = chosen < 0 || chosen === cell.label ? 1 : FADED;
    paintCell(surface, scene, cell, splits, theme);
  }
  surface.base.globalAlpha = 1;
  for (const { frame } of cells.slice(-panels.length)) {
    drawXAxis(surface.base, frame, { step, label: "", inline: false }, surface.type, theme);
  }
  paintAxisWords(surface, scene, cells, theme);
  return summary(scene, panels);
}

/** @param {Surface} surface @param {ClassScene} scene @param {Panel[]} panels @param {Split[]} splits */
function layOut({ base, type, width, height }, scene, panels, splits) {
  const { edges } = scene.histogram;
  base.font = type.smallFont;
  const names = Math.max(...scene.classes.map((name) => base.measureText(name).width));
  const before = Math.ceil(2.2 * type.small + Math.min(names, 0.18 * width));
  const gap = type.small;
  const wide = (width - before - gap * panels.length) / panels.length;
  const above = type.line + 4;
  const below = 2 * type.line + 6;
  const high = (height - above - below) / scene.classes.length;
  const x = { low: edges[0], high: edges[edges.length - 1] };
  const most = Math.max(1, ...panels.flatMap(({ key }) => splits.flatMap((split) =>
    scene.classes.flatMap((_, label) => [...(countsOf(scene, key, split, label) ?? [])]))));
  if (wide < 30 || high < 12) return { cells: [], step: 1 };
  const cells = scene.classes.flatMap((_, label) => panels.map((panel, column) => ({
    panel, label, column,
    frame: createFrame(before + column * (wide + gap), above + label * high + 2, wide, high - 4, x, { low: 0, high: 1.05 * most }),
  })));
  return { cells, step: niceStep(x.high - x.low, Math.max(2, wide / (3.6 * type.small))) };
}

/** @param {Surface} surface @param {ClassScene} scene @param {Panel[]} panels @param {Cell[]} cells @param {Theme} theme */
function paintHeads({ base: context, type }, scene, panels, cells, theme) {
  setFont(context, type.boldFont, "left", "middle");
  for (const { panel, frame } of cells.slice(0, panels.length)) {
    inkText(context, panel.name, frame.left, type.line / 2, wordInk(panel.color, theme));
  }
  context.font = type.smallFont;
  for (const { label, frame } of cells.filter(({ column }) => column === 0)) {
    const y = frame.top + frame.height / 2;
    const radius = 0.36 * type.small;
    context.beginPath();
    addGlyph(context, cornersOf(label, theme), type.small * 0.8, y, radius);
    inkGlyphs(context, label, false, radius, theme);
    context.textAlign = "left";
    inkText(context, shorten(context, scene.classes[label], frame.left - 1.9 * type.small), 1.5 * type.small, y, theme.text);
  }
}

/** @param {Surface} surface @param {ClassScene} scene @param {Cell} cell @param {Split[]} splits @param {Theme} theme */
function paintCell({ base: context, type }, scene, { panel, label, frame }, splits, theme) {
  const { edges } = scene.histogram;
  const ink = classInk(label, theme);
  setLine(context, 1, theme.rule);
  context.strokeRect(frame.left + 0.5, frame.top + 0.5, frame.width - 1, frame.height - 1);
  const zero = crisp(frame.toX(0));
  context.strokeStyle = theme.text;
  strokeLine(context, zero, frame.top, zero, frame.bottom);
  const alpha = context.globalAlpha;
  context.fillStyle = ink;
  if (splits.includes("train")) {
    binSteps(context, frame, edges, countsOf(scene, panel.key, "train", label) ?? []);
    context.globalAlpha = 0.55 * alpha;
    context.fill();
    context.globalAlpha = alpha;
    setLine(context, 1, theme.text);
    context.stroke();
  }
  if (splits.includes("test")) {
    binSteps(context, frame, edges, countsOf(scene, panel.key, "test", label) ?? []);
    setLine(context, 1.5, theme.text);
    strokeDashed(context, [4, 2]);
  }
  paintMean(context, scene, { panel, label, frame }, splits, type, theme);
}

/**
 * Marks the mean of the first part shown, with its value if there is room.
 * @param {Pen} context @param {ClassScene} scene @param {Place} cell @param {Split[]} splits @param {Type} type
 * @param {Theme} theme
 */
function paintMean(context, scene, { panel, label, frame }, splits, type, theme) {
  const stats = scene.byClass[panel.key][splits[0]][label];
  if (stats.mean === null) return;
  const words = `mean ${steady(stats.mean)}`;
  context.font = type.smallFont;
  if (frame.height < type.line + 4 || context.measureText(WIDEST_MEAN).width > 0.42 * frame.width) return;
  context.textAlign = "left";
  context.textBaseline = "top";
  haloText(context, words, frame.left + 5, frame.top + 3, theme.text, theme.halo);
}

/** @param {Surface} surface @param {ClassScene} scene @param {Cell[]} cells @param {Theme} theme */
function paintAxisWords({ base: context, type, width, height }, scene, cells, theme) {
  setFont(context, type.smallFont, "center", "bottom");
  context.fillStyle = theme.text;
  const { frame } = cells[0];
  const label = marginLabel(scene, width - frame.left, context);
  context.fillText(shorten(context, label, width - 8), width / 2, height);
}

/** @param {ClassScene} scene @param {Panel[]} panels */
function summary(scene, panels) {
  const parts = panels.map(({ key, name }) => {
    const classes = scene.byClass[key].train.map(({ mean, accuracy }, label) =>
      `${className(scene.classes[label])} mean ${short(mean)}, accuracy ${percent(accuracy)}`);
    return `${name}: ${classes.join("; ")}`;
  });
  return `Training margins of each class. ${parts.join(". ")}.`;
}
