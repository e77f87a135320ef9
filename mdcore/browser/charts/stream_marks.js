/** Marks of an online learner in its panel: the last example, the pair, the previous hyperplane. */

import { haloText, setLine, strokeDashed, strokeLine } from "../canvas/axes.js";
import { lineInk } from "../shell/theme.js";

/**
 * @import { Points } from "../canvas/points.js"
 *
 * @typedef {{frame: Frame, points: Points, size: number, color: string, type: Type, theme: Theme}} Marked
 */

/** @param {number} size */
const ringOf = (size) => size * 2.6 + 2;

/**
 * @param {Pen} context
 * @param {StreamMarks} marks  of one learner, from Python
 * @param {Marked} panel
 */
export function paintStream(context, marks, { frame, points, size, color, type, theme }) {
  const ink = lineInk(color, theme);
  if (marks.old) paintOld(context, marks.old, frame, ink, type);
  const at = marks.row === null ? -1 : points.indexOf(marks.row);
  if (points.isShown(at)) paintSeen(context, points.xAt(at), points.yAt(at), size, marks.now, type, theme);
  if (marks.pair) paintPair(context, marks.pair, frame, size, type, theme);
}

/**
 * Draws the line w·x + b = 0 before the latest update.
 * @param {Pen} context @param {number[]} pair @param {Frame} frame @param {string} ink @param {Type} type
 */
function paintOld(context, [w1, w2, b], frame, ink, type) {
  const square = w1 * w1 + w2 * w2;
  if (!square) return;
  const middle = { x: (frame.x.low + frame.x.high) / 2, y: (frame.y.low + frame.y.high) / 2 };
  const off = (w1 * middle.x + w2 * middle.y + b) / square;
  const foot = { x: middle.x - w1 * off, y: middle.y - w2 * off };
  const far = (2 * Math.hypot(frame.x.high - frame.x.low, frame.y.high - frame.y.low)) / Math.sqrt(square);
  context.beginPath();
  context.moveTo(frame.toX(foot.x - w2 * far), frame.toY(foot.y + w1 * far));
  context.lineTo(frame.toX(foot.x + w2 * far), frame.toY(foot.y - w1 * far));
  setLine(context, type.projector ? 2.6 : 1.8, ink);
  strokeDashed(context, [10, 5]);
}

/**
 * @param {Pen} context @param {number[][]} pair @param {Frame} frame @param {number} size @param {Type} type
 * @param {Theme} theme
 */
function paintPair(context, pair, frame, size, type, theme) {
  const [positive, negative] = pair.map(([x, y]) => ({ x: frame.toX(x), y: frame.toY(y) }));
  const reach = size * 1.7 + 1;
  setLine(context, type.projector ? 3 : 2, theme.text);
  const length = Math.hypot(positive.x - negative.x, positive.y - negative.y) || 1;
  const [ux, uy] = [(negative.x - positive.x) / length, (negative.y - positive.y) / length];
  strokeLine(context, positive.x + ux * reach, positive.y + uy * reach, negative.x - ux * reach, negative.y - uy * reach);
  context.font = type.boldFont;
  context.textBaseline = "middle";
  for (const { x, y, name } of [{ ...positive, name: "x⁺" }, { ...negative, name: "x⁻" }]) {
    context.beginPath();
    context.arc(x, y, reach, 0, 2 * Math.PI);
    setLine(context, type.projector ? 3 : 2, theme.text);
    context.stroke();
    const clear = ringOf(size) + 5;
    const right = x + clear + 20 < frame.right;
    context.textAlign = right ? "left" : "right";
    haloText(context, name, right ? x + clear : x - clear, y - reach, theme.text, theme.halo);
  }
}

/**
 * Draws a ring around the last example, thick if it caused an update.
 * @param {Pen} context @param {number} x @param {number} y @param {number} size @param {boolean} now
 * @param {Type} type @param {Theme} theme
 */
function paintSeen(context, x, y, size, now, type, theme) {
  for (const { width, ink } of [{ width: now ? 7 : 5, ink: theme.halo }, { width: now ? 4.5 : 2.5, ink: theme.accent }]) {
    context.beginPath();
    context.arc(x, y, ringOf(size), 0, 2 * Math.PI);
    setLine(context, type.projector ? width * 1.3 : width, ink);
    context.stroke();
  }
}
