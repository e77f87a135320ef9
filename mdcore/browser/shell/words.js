/** Text alternatives and tooltips of the views. Every number comes from the scene. */

import { isStraight } from "../canvas/reach.js";
import { percent, short, thousands } from "./format.js";
import { className, classWords, statsOf } from "../state/class_filter.js";

/** Replaces the typographic minus, which screen readers may not read. @param {string} text */
export const spoken = (text) => text.replaceAll("−", "-");

/** Describes the result of the outlier probe in one panel, or in all. @param {number} share */
export const turnedWords = (share) => `${percent(share)} of the picture changed sides`;

/** @param {Scene} scene */
export function probeWords({ probe, panels }) {
  const turned = probe?.turned ?? {};
  const known = panels.filter(({ key }) => key in turned);
  return known.map(({ key, name }) => `${name}: ${turnedWords(turned[key])}`).join(", ");
}

/** @type {{[status: string]: string}} */
const UNDONE = { unconverged: "not converged", overbudget: "over budget, not converged" };

/** @param {Scene} scene @param {Panel} panel */
export function boundarySummary({ split, probe }, { key, name, status, message, stats: { train } }) {
  if (status === "failed") return `${name}: no picture. ${message}`;
  const turned = probe?.turned[key];
  const parts = [
    UNDONE[status],
    `training accuracy ${percent(train.accuracy)}, mean margin ${short(train.mean)}, minimum ${short(train.min)}`,
    `boundary picture with ${thousands(split.train)} training and ${thousands(split.test)} test points`,
    typeof turned === "number" ? `outlier probe: ${turnedWords(turned)}` : "",
  ];
  return spoken(`${name}: ${parts.filter(Boolean).join("; ")}`);
}

/** @param {Scene} scene @param {Panel[]} panels @param {Split[]} splits @param {number} chosen */
export function histogramSummary(scene, panels, splits, chosen) {
  const parts = panels.map((panel) => {
    const each = splits.flatMap((split) => {
      const stats = statsOf(scene, panel, split, chosen);
      if (!stats) return [];
      const { mean, min, accuracy } = stats;
      return `${split} mean ${short(mean)}, minimum ${short(min)}, accuracy ${percent(accuracy)}`;
    });
    return `${panel.name} ${each.join("; ")}`;
  });
  const whose = classWords(scene, chosen);
  return spoken(`Histogram of the ${scene.values.scale} margins${whose && ` of ${whose}`}. ${parts.join(". ")}.`);
}

/** Describes one example in one panel, in lines. @param {Scene} scene @param {Panel} panel @param {number} at */
export function exampleWords(scene, panel, at) {
  const { arrays, plane, classes } = scene;
  const margin = arrays[`margin:${panel.key}`]?.[at];
  const lines = [`row ${arrays.row[at]} · ${className(classes[arrays.label[at]])} · ${arrays.part[at] ? "test" : "train"}`];
  const predicted = arrays[`predicted:${panel.key}`]?.[at];
  if (predicted !== undefined && predicted !== arrays.label[at]) lines.push(`predicted as ${className(classes[predicted])}`);
  if (margin !== undefined) lines.push(`${panel.name} margin ${short(margin, 4)}${margin <= 0 ? " (error)" : ""}`);
  if (arrays[`flag:${panel.key}`]?.[at]) lines.push(`among the ${panel.badge?.supportLabel}`);
  lines.push(placeWords(arrays, plane, panel, at));
  if (arrays[`field:${panel.key}`] || arrays[`region:${panel.key}`]) {
    lines.push(isStraight(scene, panel) ? "line: perpendicular to the boundary" : "line: to the nearest point of f = 0 in the picture");
  }
  return lines;
}

/** @param {SceneArrays} arrays @param {Plane} plane @param {Panel} panel @param {number} at */
function placeWords(arrays, plane, panel, at) {
  if (plane.kind === "distance") {
    const { x, y } = panel.window ?? {};
    return `${x?.label} ${short(arrays[`x:${panel.key}`]?.[at], 4)}, ${y?.label} ${short(arrays[`y:${panel.key}`]?.[at], 4)}`;
  }
  const { x, y, raw } = plane;
  if (!raw) return `${x.label} ${short(arrays.x[at], 4)}, ${y.label} ${short(arrays.y[at], 4)}`;
  const rawX = raw.x[0] + raw.x[1] * arrays.x[at];
  const rawY = raw.y[0] + raw.y[1] * arrays.y[at];
  return `${x.label} ${short(rawX, 4)}, ${y.label} ${short(rawY, 4)}${raw.note ? " (raw)" : ""}`;
}
