/** Theorem 1 of the mcODM paper: its three terms stacked, against 1, above which the bound is vacuous. */

import { OVERHANG, createFrame, crisp, drawXAxis, haloText, setFont, setLine, shorten, strokeLine } from "../canvas/axes.js";
import { short } from "../shell/format.js";
import { createPlainChart } from "./plain_chart.js";
import { clamp } from "../state/track.js";

/**
 * @typedef {{name: string, value: number, ink: string, words: string}} Term
 */

const FARTHEST = 4; // the largest end of the axis
/**
 * The largest last, because it may extend beyond the picture.
 * @type {{key: keyof BoundTerms, name: string, explain: (bound: Bound) => string}[]}
 */
const TERMS = [
  { key: "loss", name: "empirical loss", explain: () => "mean of Φ(margin)" },
  { key: "confidence", name: "confidence", explain: ({ examples }) => `3 √(ln 40 / 2m), m = ${examples}` },
  {
    key: "complexity", name: "complexity",
    explain: ({ norm, radius, classes }) => `‖w‖ = ${short(norm)}, r = ${short(radius)}, k = ${classes}`,
  },
];
const GREYS = { light: ["#24292f", "#7d8590", "#c8ced6"], dark: ["#f0f3f6", "#8b949e", "#454c56"] };

/** @param {HTMLElement} host @param {ViewStage} stage */
export const createBound = (host, stage) => createPlainChart(host, stage, paint);

/** @param {Surface} surface @param {ClassScene} scene @param {Theme} theme */
function paint(surface, { bound }, theme) {
  if (!bound) return "";
  const inks = GREYS[theme.dark ? "dark" : "light"];
  const terms = TERMS.map(({ key, name, explain }, i) => ({ name, value: bound.terms[key], ink: inks[i], words: explain(bound) }));
  const { base: context, type, width, height } = surface;
  const high = clamp(1.05 * bound.value, 1.25, FARTHEST);
  const tall = clamp(0.22 * height, 14, 44);
  const frame = createFrame(4, type.line + 6, width - 8 - OVERHANG, tall, { low: 0, high }, { low: 0, high: 1 });
  if (frame.width < 40) return "";
  paintBar(context, frame, terms, theme);
  paintOne(context, frame, type, theme);
  const next = drawXAxis(context, frame, { step: high > 2 ? 1 : 0.25, label: "bound on the error probability", inline: false }, type, theme);
  paintTerms(context, frame, terms, bound, next + 4, height, type, theme);
  const told = terms.map(({ name, value }) => `${name} ${short(value)}`).join(", ");
  return `Theorem 1 for mcODM: ${told}; sum ${short(bound.value)}${bound.vacuous ? ", vacuous: an error is never more likely than 1" : ""}.`;
}

/** @param {Pen} context @param {Frame} frame @param {Term[]} terms @param {Theme} theme */
function paintBar(context, frame, terms, theme) {
  let sum = 0;
  for (const { value, ink } of terms) {
    const from = frame.toX(sum);
    const to = Math.min(frame.right, frame.toX(sum + value));
    context.fillStyle = ink;
    if (from < frame.right) context.fillRect(from, frame.top, to - from, frame.height);
    sum += value;
  }
  if (sum > frame.x.high) paintTear(context, frame, theme);
  setLine(context, 1, theme.frame);
  context.strokeRect(frame.left + 0.5, frame.top + 0.5, frame.width - 1, frame.height - 1);
}

/** Draws a torn edge where the bar extends beyond the picture. @param {Pen} context @param {Frame} frame @param {Theme} theme */
function paintTear(context, frame, theme) {
  const teeth = 5;
  context.beginPath();
  context.moveTo(frame.right + 1, frame.top - 1);
  for (let i = 0; i <= 2 * teeth; i++) context.lineTo(frame.right - (i % 2 ? 9 : 0), frame.top + (i * frame.height) / (2 * teeth));
  context.lineTo(frame.right + 1, frame.bottom + 1);
  context.fillStyle = theme.background;
  context.fill();
}

/** @param {Pen} context @param {Frame} frame @param {Type} type @param {Theme} theme */
function paintOne(context, frame, type, theme) {
  const x = crisp(frame.toX(1));
  setLine(context, 2.5, theme.text);
  strokeLine(context, x, frame.top - 4, x, frame.bottom + 2);
  setFont(context, type.boldFont, "left", "bottom");
  haloText(context, "1: above it the bound says nothing", Math.min(x - 3, frame.right - context.measureText("1: above it the bound says nothing").width), frame.top - 4, theme.text, theme.halo);
}

/**
 * @param {Pen} context @param {Frame} frame @param {Term[]} terms @param {Bound} bound @param {number} top
 * @param {number} height @param {Type} type @param {Theme} theme
 */
function paintTerms(context, frame, terms, bound, top, height, type, theme) {
  const rows = [
    ...terms.map(({ name, value, ink, words }) => ({ ink, name, value: short(value), words })),
    { ink: null, name: "sum", value: short(bound.value), words: bound.vacuous ? "vacuous: above 1" : "holds with probability 0.95" },
  ];
  const names = 1.6 * type.small + Math.max(...rows.map(({ name }) => context.measureText(name).width)) + type.small;
  const numbers = 4.2 * type.small;
  context.textBaseline = "middle";
  rows.forEach(({ ink, name, value, words }, i) => {
    const y = top + (i + 0.5) * type.line;
    if (y + type.line / 2 > height) return;
    if (ink) {
      context.fillStyle = ink;
      context.fillRect(frame.left, y - 0.4 * type.small, 0.8 * type.small, 0.8 * type.small);
      setLine(context, 1, theme.frame);
      context.strokeRect(frame.left, y - 0.4 * type.small, 0.8 * type.small, 0.8 * type.small);
    }
    context.font = ink ? type.smallFont : type.boldFont;
    context.fillStyle = theme.text;
    context.textAlign = "left";
    context.fillText(name, frame.left + 1.3 * type.small, y);
    context.textAlign = "right";
    context.fillText(value, frame.left + names + numbers, y);
    context.font = type.smallFont;
    context.fillStyle = theme.muted;
    context.textAlign = "left";
    const left = frame.left + names + numbers + type.small;
    context.fillText(shorten(context, words, Math.max(0, frame.right - left)), left, y);
  });
}
