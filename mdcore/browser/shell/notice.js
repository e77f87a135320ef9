/** A quiet message in the middle of a frame without a picture. */

import { createFrame, setFont, setLine, shorten, wrapText } from "../canvas/axes.js";

const UNIT = { low: 0, high: 1 };

/** Returns a frame that covers a whole view. @param {{width: number, height: number}} surface */
export const wholeOf = ({ width, height }) => createFrame(0, 0, width, height, UNIT, UNIT);

/** @param {Pen} context @param {string} message @param {Frame} frame @param {Type} type @param {Theme} theme */
export function drawNotice(context, message, frame, type, theme) {
  const room = frame.width - 3 * type.small;
  setFont(context, type.smallFont, "center", "middle");
  const lines = wrapText(context, message || "This method has no result here.", room);
  const most = Math.max(1, Math.floor((frame.height - 2 * type.small) / type.line));
  if (lines.length > most) lines.splice(most - 1, Infinity, shorten(context, `${lines[most - 1]}…`, room));
  const widest = Math.max(...lines.map((line) => context.measureText(line).width));
  const middle = (frame.left + frame.right) / 2;
  const high = lines.length * type.line + type.small;
  const top = (frame.top + frame.bottom - high) / 2;
  context.beginPath();
  context.roundRect(middle - widest / 2 - type.small, top, widest + 2 * type.small, high, 6);
  context.fillStyle = theme.panel;
  context.fill();
  setLine(context, 1, theme.frame);
  context.stroke();
  context.fillStyle = theme.text;
  lines.forEach((line, i) => context.fillText(line, middle, top + type.small / 2 + (i + 0.5) * type.line));
}
