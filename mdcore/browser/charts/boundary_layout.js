/** The frame of a boundary panel, its axes and their note. */

import {
  OVERHANG, createFrame, drawXAxis, drawYAxis, niceStep, setLine, shorten, widestTick,
} from "../canvas/axes.js";
import { clamp } from "../state/track.js";

/**
 * @typedef {NonNullable<ReturnType<typeof layOutPanel>>} PanelLayout
 */

/**
 * Lays out the frame inside the host: with equal units for a plane, in the whole space for signed distances.
 * @param {Surface} surface @param {Scene} scene @param {Panel} panel
 */
export function layOutPanel(surface, scene, panel) {
  const { type, base, width, height } = surface;
  const shared = scene.plane.kind === "distance" ? null : scene.plane;
  const locked = shared !== null;
  const window = shared ?? panel.window;
  if (!window) return null;
  const { x, y } = window;
  base.font = type.smallFont;
  const inlineX = base.measureText(x.label).width < 2.2 * type.small;
  const inlineY = base.measureText(y.label).width < 2.2 * type.small;
  const note = shared?.raw?.note ?? "";
  const below = 6 + type.line * (1 + (inlineX ? 0 : 1) + (note ? 1 : 0));
  const above = type.small / 2 + 1;
  const spanX = x.high - x.low;
  const spanY = y.high - y.low;
  const roomX = width - 4 * type.small;
  const roomY = height - below - above;
  let stepX = niceStep(spanX, Math.min(8, roomX / (2.6 * type.small)));
  let stepY = niceStep(spanY, Math.min(8, roomY / (2.6 * type.small)));
  if (locked) stepX = stepY = Math.max(stepX, stepY);
  const labels = Math.max(widestTick(base, y.low, y.high, stepY), inlineY ? base.measureText(y.label).width : 0);
  const before = labels + 7 + (inlineY ? 0 : type.line);
  let wide = width - before - OVERHANG;
  let high = roomY;
  if (wide < 20 || high < 20) return null;
  if (locked) {
    const unit = Math.min(wide / spanX, high / spanY);
    wide = Math.floor(unit * spanX);
    high = Math.floor(unit * spanY);
  }
  const left = Math.round(before + Math.max(0, (width - before - OVERHANG - wide) / 2));
  const frame = createFrame(left, Math.round(above), wide, high, x, y);
  return { frame, x, y, before, note, stepX, stepY, inlineX, inlineY };
}

/** @param {Pen} context @param {Surface} surface @param {PanelLayout} layout @param {Theme} theme */
export function drawPanelAxes(context, surface, layout, theme) {
  const { frame, x, y, before, note, stepX, stepY, inlineX, inlineY } = layout;
  const { type, width } = surface;
  setLine(context, 1, theme.frame);
  context.strokeRect(frame.left - 0.5, frame.top - 0.5, frame.width + 1, frame.height + 1);
  const next = drawXAxis(context, frame, { step: stepX, label: x.label, inline: inlineX }, type, theme);
  drawYAxis(context, frame, { step: stepY, label: y.label, inline: inlineY, edge: frame.left - before }, type, theme);
  if (!note) return;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillStyle = theme.muted;
  const words = `axes: ${note}`;
  const full = `${words}; hover over an example for unscaled values`;
  const text = context.measureText(full).width <= width ? full : shorten(context, words, width);
  const half = context.measureText(text).width / 2;
  context.fillText(text, clamp((frame.left + frame.right) / 2, half, width - half), next);
}
