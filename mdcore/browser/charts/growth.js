/** Accuracy against the number of classes: solid for training, dashed for test. */

import { OVERHANG, createFrame, crisp, drawGrid, drawXAxis, drawYAxis, niceStep, setLine, strokeDashed, strokeLine } from "../canvas/axes.js";
import { percent } from "../shell/format.js";
import { createPlainChart, paintNames } from "./plain_chart.js";
import { lineInk } from "../shell/theme.js";

/**
 * @import { PlainView } from "./plain_chart.js"
 *
 * @typedef {{name: string, color: string, split: Split, places: {classes: number, accuracy: number}[]}} Line
 */

const DASH = [5, 3];

/** @param {HTMLElement} host @param {ViewStage} stage */
export const createGrowth = (host, stage) => createPlainChart(host, stage, paint);

/** @param {Surface} surface @param {ClassScene} scene @param {Theme} theme @param {PlainView} view */
function paint(surface, scene, theme, { splits }) {
  const { growth, panels } = scene;
  if (!growth.numbers.length) return "";
  const lines = panels
    .flatMap(({ key, name, color }) => splits.map((split) => ({ name, color, split, places: placesOf(growth, key, split) })))
    .filter(({ places }) => places.length);
  const frame = layOut(surface, growth, lines);
  if (!frame) return "";
  const yStep = frame.y.low >= 0.75 ? 0.05 : frame.y.low >= 0.5 ? 0.1 : 0.25;
  const xStep = Math.max(1, niceStep(frame.x.high - frame.x.low, frame.width / (2.4 * surface.type.small)));
  drawGrid(surface.base, frame, xStep, yStep, theme);
  paintNames(surface, panels.filter(({ name }) => lines.some((line) => line.name === name)), frame.left, theme);
  paintNow(surface, frame, growth.now, theme);
  for (const line of lines) paintLine(surface, frame, line, theme);
  drawXAxis(surface.base, frame, { step: xStep, label: "number of classes", inline: false }, surface.type, theme);
  drawYAxis(surface.base, frame, { step: yStep, label: "accuracy", inline: false, text: (share) => `${Math.round(100 * share)} %` }, surface.type, theme);
  return summary(lines);
}

/** @param {Growth} growth @param {string} key @param {Split} split */
const placesOf = ({ numbers }, key, split) => numbers.flatMap(({ classes, methods }) => {
  const accuracy = methods[key]?.[split].accuracy ?? null;
  return accuracy === null ? [] : [{ classes, accuracy }];
});

/** @param {Surface} surface @param {Growth} growth @param {Line[]} lines */
function layOut({ base, type, width, height }, { numbers }, lines) {
  base.font = type.smallFont;
  const before = Math.ceil(base.measureText("100 %").width) + 8 + type.line;
  const wide = width - before - OVERHANG;
  const above = type.line + 4;
  const high = height - above - 2 * type.line - 6;
  if (wide < 20 || high < 20) return null;
  const least = Math.min(0.95, ...lines.flatMap(({ places }) => places.map(({ accuracy }) => accuracy)));
  const low = Math.max(0, Math.floor(20 * (least - 0.01)) / 20);
  const x = { low: numbers[0].classes - 0.4, high: numbers[numbers.length - 1].classes + 0.4 };
  return createFrame(before, above, wide, high, x, { low, high: 1 + 0.03 * (1 - low) });
}

/** @param {Surface} surface @param {Frame} frame @param {number | null} now @param {Theme} theme */
function paintNow({ base: context }, frame, now, theme) {
  if (now === null) return;
  const x = crisp(frame.toX(now));
  setLine(context, 2, theme.accent);
  strokeLine(context, x, frame.top, x, frame.bottom);
}

/** @param {Surface} surface @param {Frame} frame @param {Line} line @param {Theme} theme */
function paintLine({ base: context, type }, frame, { places, color, split }, theme) {
  const ink = lineInk(color, theme);
  const at = places.map(({ classes, accuracy }) => [frame.toX(classes), frame.toY(accuracy)]);
  context.beginPath();
  at.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  setLine(context, type.projector ? 3 : 2, ink);
  strokeDashed(context, split === "test" ? DASH : []);
  context.beginPath();
  for (const [x, y] of at) {
    context.moveTo(x + 3.5, y);
    context.arc(x, y, 3.5, 0, 2 * Math.PI);
  }
  context.fillStyle = split === "test" ? theme.background : ink;
  context.fill();
  context.stroke();
}

/** @param {Line[]} lines */
function summary(lines) {
  const parts = lines.map(({ name, split, places }) =>
    `${name} ${split}: ${places.map(({ classes, accuracy }) => `${classes} classes ${percent(accuracy)}`).join(", ")}`);
  return `Accuracy by the number of classes. ${parts.join(". ")}.`;
}
