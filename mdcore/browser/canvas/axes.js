/**
 * Scales, round tick values and text on a canvas.
 *
 * @typedef {ReturnType<typeof createFrame>} Frame
 * @typedef {{step: number, label: string, inline: boolean}} AxisOptions  `inline`: the label is on the line of the tick labels
 * @typedef {AxisOptions & {highest?: number, text?: (value: number, step: number) => string, edge?: number}} YAxisOptions
 */

import { short } from "../shell/format.js";

/** The range of steps for which ticks are written without an exponent. */
const PLAIN_STEPS = { from: 1e-4, below: 1e5 };

/**
 * Returns the step, 1, 2 or 5 times a power of ten, that gives at most `most` ticks on `span`.
 * @param {number} span @param {number} most
 */
export function niceStep(span, most) {
  const least = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const lead = least / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

/** @param {number} low @param {number} high @param {number} step */
function ticksOf(low, high, step) {
  const ticks = [];
  const slack = 1e-9;
  for (let i = Math.ceil(low / step - slack); i <= Math.floor(high / step + slack); i++) ticks.push(i * step);
  return ticks;
}

/** @param {number} value @param {number} step */
function tickText(value, step) {
  if (step < PLAIN_STEPS.from || step >= PLAIN_STEPS.below) return short(value, 6);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/**
 * Creates a frame: a rectangle of the canvas that shows a window of the data, with y upwards.
 * @param {number} left @param {number} top @param {number} width @param {number} height @param {Span | Axis} x
 * @param {Span | Axis} y
 */
export function createFrame(left, top, width, height, x, y) {
  const perX = width / (x.high - x.low);
  const perY = height / (y.high - y.low);
  const bottom = top + height;
  return {
    left,
    top,
    width,
    height,
    right: left + width,
    bottom,
    x,
    y,
    /** @param {number} value */
    toX: (value) => left + (value - x.low) * perX,
    /** @param {number} value */
    toY: (value) => bottom - (value - y.low) * perY,
    /** @param {number} px */
    fromX: (px) => x.low + (px - left) / perX,
    /** @param {number} py */
    fromY: (py) => y.low + (bottom - py) / perY,
    /** @param {number} px @param {number} py */
    holds: (px, py) => px >= left && px <= left + width && py >= top && py <= bottom,
  };
}

/** @param {Pen} context @param {string} text @param {number} room */
export function shorten(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end).trimEnd()}…`;
}

/**
 * Returns the lines of a text, none wider than `room` unless it is a single word.
 * @param {Pen} context @param {string} text @param {number} room
 */
export function wrapText(context, text, room) {
  const [first, ...words] = text.split(/\s+/);
  const lines = [first];
  for (const word of words) {
    const longer = `${lines[lines.length - 1]} ${word}`;
    if (context.measureText(longer).width <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** @param {Pen} context @param {number} fromX @param {number} fromY @param {number} toX @param {number} toY */
export function strokeLine(context, fromX, fromY, toX, toY) {
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
  context.stroke();
}

/** @param {Pen} context @param {string} font @param {CanvasTextAlign} align @param {CanvasTextBaseline} baseline */
export function setFont(context, font, align, baseline) {
  Object.assign(context, { font, textAlign: align, textBaseline: baseline });
}

/** @param {Pen} context @param {number} width @param {Pen["strokeStyle"]} ink */
export function setLine(context, width, ink) {
  context.lineWidth = width;
  context.strokeStyle = ink;
}

/** @param {Pen} context @param {number[]} dash */
export function strokeDashed(context, dash) {
  context.setLineDash(dash);
  context.stroke();
  context.setLineDash([]);
}

/** @param {Pen} context @param {string} text @param {number} x @param {number} y @param {string} ink */
export function inkText(context, text, x, y, ink) {
  context.fillStyle = ink;
  context.fillText(text, x, y);
}

/**
 * Draws text that is readable on any background.
 * @param {Pen} context @param {string} text @param {number} x @param {number} y @param {string} ink
 * @param {string} halo
 */
export function haloText(context, text, x, y, ink, halo) {
  context.lineJoin = "round";
  setLine(context, 4, halo);
  context.strokeText(text, x, y);
  inkText(context, text, x, y, ink);
}

/** The space that every view leaves to the right of its frame; the last tick label may extend into it. */
export const OVERHANG = 8;

/** Returns the middle of the nearest pixel, where a one-pixel line is crisp. @param {number} value */
export const crisp = (value) => Math.round(value) + 0.5;

/**
 * Draws tick labels below a frame, and `label` at the end of the same line if it fits, else on the next line.
 * @param {Pen} context
 * @param {Frame} frame
 * @param {AxisOptions} axis
 * @param {Type} type
 * @param {Theme} theme
 * @returns {number} y of the next free line
 */
export function drawXAxis(context, frame, { step, label, inline }, type, theme) {
  const y = frame.bottom + 4;
  setFont(context, type.smallFont, "center", "top");
  const wide = context.measureText(label).width;
  const limit = inline ? frame.right - wide - 6 : Infinity;
  context.fillStyle = theme.muted;
  let taken = -Infinity; // by the labels before; a power of ten may be wider than a step
  for (const tick of ticksOf(frame.x.low, frame.x.high, step)) {
    const text = tickText(tick, step);
    const half = context.measureText(text).width / 2;
    const x = Math.min(frame.toX(tick), frame.right + OVERHANG - half);
    if (x + half >= limit || x - half < taken) continue;
    context.fillText(text, x, y);
    taken = x + half + 2;
  }
  context.fillStyle = theme.text;
  if (inline) {
    context.textAlign = "right";
    context.fillText(label, frame.right, y);
    return y + type.line;
  }
  if (!label) return y + type.line;
  const room = frame.right + OVERHANG;
  const words = shorten(context, label, room);
  const half = context.measureText(words).width / 2;
  context.fillText(words, Math.min((frame.left + frame.right) / 2, room - half), y + type.line);
  return y + 2 * type.line;
}

/**
 * Draws tick labels left of a frame, up to `highest`, and `label` above them if it is short, else rotated.
 * @param {Pen} context @param {Frame} frame @param {YAxisOptions} axis @param {Type} type @param {Theme} theme
 */
export function drawYAxis(context, frame, { step, label, inline, highest = frame.y.high, text = tickText, edge = 0 }, type, theme) {
  setFont(context, type.smallFont, "right", "middle");
  context.fillStyle = theme.muted;
  const limit = inline ? frame.top + 1.4 * type.line : -Infinity;
  for (const tick of ticksOf(frame.y.low, highest, step)) {
    const y = Math.max(frame.toY(tick), 0.6 * type.small); // keeps the highest label inside the canvas
    if (y > limit) context.fillText(text(tick, step), frame.left - 5, y);
  }
  if (inline) {
    inkText(context, label, frame.left - 5, frame.top + type.small / 2, theme.text);
  } else if (label) drawTurnedLabel(context, label, frame, edge, type, theme);
}

/**
 * Draws text that runs upwards, with its left side at `edge`.
 * @param {Pen} context @param {string} label @param {Frame} frame @param {number} edge @param {Type} type
 * @param {Theme} theme
 */
function drawTurnedLabel(context, label, { top, bottom }, edge, type, theme) {
  context.save();
  setFont(context, type.smallFont, "center", "middle");
  context.fillStyle = theme.text;
  context.translate(edge + type.small / 2 + 1, (top + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(shorten(context, label, bottom - top + type.line), 0, 0);
  context.restore();
}

/**
 * Clips drawing to a box until the context is restored.
 * @param {Pen} context @param {{left: number, top: number, width: number, height: number}} box
 */
export function clipTo(context, { left, top, width, height }) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
}

/**
 * Draws thin grid lines at the ticks as one path.
 * @param {Pen} context @param {Frame} frame @param {number} xStep @param {number} yStep @param {Theme} theme
 */
export function drawGrid(context, frame, xStep, yStep, theme) {
  context.beginPath();
  for (const tick of xStep ? ticksOf(frame.x.low, frame.x.high, xStep) : []) {
    const x = crisp(frame.toX(tick) - 0.5);
    context.moveTo(x, frame.top);
    context.lineTo(x, frame.bottom);
  }
  for (const tick of yStep ? ticksOf(frame.y.low, frame.y.high, yStep) : []) {
    const y = crisp(frame.toY(tick) - 0.5);
    context.moveTo(frame.left, y);
    context.lineTo(frame.right, y);
  }
  setLine(context, 1, theme.rule);
  context.stroke();
}

/** @param {Pen} context @param {number} low @param {number} high @param {number} step */
export function widestTick(context, low, high, step) {
  let widest = 0;
  for (const tick of ticksOf(low, high, step)) widest = Math.max(widest, context.measureText(tickText(tick, step)).width);
  return widest;
}
