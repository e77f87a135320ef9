/** The weights of every learner as bars, in units of ||w||: the features that a hyperplane uses. */

import { haloText, setFont, setLine, shorten, strokeLine } from "../canvas/axes.js";
import { short } from "../shell/format.js";
import { createTextNote } from "../shell/help.js";
import { createPlainChart } from "./plain_chart.js";
import { lineInk, wordInk } from "../shell/theme.js";
import { clamp } from "../state/track.js";

const MOST_NAMES = 12; // more bars than this have no names under them and are not read out
const HELP = [
  "A bar for each feature: its weight divided by the length of w in the norm of the learner, on one scale for all. With a kernel, a bar is the coefficient of an example.",
  "A large p (PUMMA, ALMA_p) measures w in a norm near the sum of the weights: few features get weights.",
  "On r-of-k data the background is shaded behind the features that determine the class.",
];

/**
 * @param {HTMLElement} host
 * @param {ViewStage} stage
 */
export function createWeights(host, stage) {
  return { ...createPlainChart(host, stage, paint), tools: createTextNote("Weights", HELP) };
}

/** @param {Surface} surface @param {RaceScene} scene @param {Theme} theme */
function paint(surface, scene, theme) {
  const all = scene.weights.flatMap(({ key }) => [...(scene.arrays[`weights:${key}`] ?? [])]);
  const range = { low: Math.min(0, ...all), high: Math.max(1e-12, ...all) };
  const high = surface.height / Math.max(1, scene.weights.length);
  scene.weights.forEach((entry, at) => paintStrip(surface, scene, entry, at * high, high - 4, range, theme));
  return summary(scene);
}

/** @param {Scene} scene @param {number} at */
function nameOf({ plane: { kind, x, y } }, at) {
  return kind === "plane" ? [x.label, y.label][at] : `${at + 1}`;
}

/**
 * @param {Surface} surface @param {RaceScene} scene @param {Weights} entry @param {number} top
 * @param {number} high @param {Span} range @param {Theme} theme
 */
function paintStrip({ base: context, type, width }, scene, entry, top, high, range, theme) {
  const values = scene.arrays[`weights:${entry.key}`] ?? new Float32Array();
  const words = type.line;
  const named = values.length <= MOST_NAMES && high > 4 * words;
  const room = { left: 2, right: width - 2, top: top + words + 2, bottom: top + high - (named ? words : 2) };
  const unit = (room.bottom - room.top) / (range.high - range.low);
  const middle = room.top + range.high * unit;
  const wide = (room.right - room.left) / values.length;
  const thick = clamp(wide * 0.7, 0.7, 34);
  const relevant = entry.of === "features" ? scene.relevant : null;
  if (relevant) {
    context.fillStyle = theme.rule;
    context.fillRect(room.left, room.top, wide * relevant, room.bottom - room.top);
  }
  setLine(context, 1, theme.frame);
  strokeLine(context, room.left, middle, room.right, middle);
  context.fillStyle = lineInk(entry.color, theme);
  values.forEach((value, at) => {
    const x = room.left + (at + 0.5) * wide;
    const y = middle - value * unit;
    context.fillRect(x - thick / 2, Math.min(y, middle), thick, Math.max(Math.abs(y - middle), value === 0 ? 0 : 0.5));
  });
  setFont(context, type.smallFont, "center", "top");
  if (named) {
    const y = room.bottom + 1;
    values.forEach((_, at) => haloText(context, nameOf(scene, at), room.left + (at + 0.5) * wide, y, theme.muted, theme.halo));
  }
  context.font = type.boldFont;
  context.textAlign = "left";
  const zero = values.length > MOST_NAMES ? `, ${entry.zero} of ${values.length} near 0` : "";
  const text = `${entry.name}: b = ${short(entry.b)}${zero}`;
  haloText(context, shorten(context, text, width - 4), 2, top, wordInk(entry.color, theme), theme.halo);
}

/** @param {RaceScene} scene */
function summary(scene) {
  const each = scene.weights.map(({ key, name, of, b }) => {
    const values = [...(scene.arrays[`weights:${key}`] ?? [])];
    const shown = values.length <= MOST_NAMES ? values.map((value) => short(value)).join(", ") : `${values.length} ${of}`;
    return `${name}: ${shown}, bias ${short(b)}`;
  });
  return `Weights in units of their length. ${each.join("; ") || "No online learner is shown"}.`;
}
