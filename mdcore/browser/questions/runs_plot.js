/**
 * The runs of the audience: curves over the values of a parameter or, for random splits, a band for each method with its
 * middle half, its median, and a dot for each run.
 */

import { quantile, rangeOf } from "./score.js";
import { drawn, h } from "../shell/dom.js";
import { plural, short } from "../shell/format.js";

/**
 * @import { RunsQuestion } from "./runs.js"
 * @typedef {{low: number, high: number}} Range
 */

const WIDE = 320;
const ROW = 46; // of the band of a method
const HIGH = 220; // of the curves
const FONT = 14;
const EDGE = { left: 12, right: 12, bottom: 40 };

/** @param {RunsQuestion} question */
export function createRunsPlot(question) {
  const svg = drawn("svg", { role: "img", class: "ml-runs" });
  const element = h("div", { hidden: true }, svg);

  /** @param {AnswerRun[]} runs @param {ShownMethod[]} methods */
  function update(runs, methods) {
    const shown = methods.filter(({ key }) => runs.some(({ of }) => key in of));
    element.hidden = !shown.length;
    if (!shown.length) return;
    const range = rangeOf(runs.flatMap(({ of }) => Object.values(of)));
    const draw = question.param === "seed" ? drawBands : drawCurves;
    svg.setAttribute("aria-label", `${question.measured} of ${plural(runs.length, "run")}, from ${short(range.low)} to ${short(range.high)}`);
    svg.replaceChildren(...draw(svg, question, runs, shown, range));
  }
  return { element, update };
}

/** @param {Element} svg @param {RunsQuestion} question @param {AnswerRun[]} runs @param {ShownMethod[]} methods @param {Range} range */
function drawBands(svg, { measured }, runs, methods, { low, high }) {
  const bottom = methods.length * ROW;
  svg.setAttribute("viewBox", `0 0 ${WIDE} ${bottom + EDGE.bottom}`);
  const toX = scale(low, high, EDGE.left, WIDE - EDGE.right);
  const parts = methods.flatMap(({ key, name, color }, row) => {
    const values = runs.filter(({ of }) => key in of).map(({ of }) => of[key]).sort((a, b) => a - b);
    const [lower, middle, upper] = [0.25, 0.5, 0.75].map((level) => toX(quantile(values, level)));
    const top = row * ROW + FONT + 4;
    return [
      text(`${name}: median ${short(quantile(values, 0.5))}`, EDGE.left, row * ROW + FONT, "start"),
      drawn("rect", { x: lower, y: top, width: Math.max(1, upper - lower), height: ROW - FONT - 8, fill: color, "fill-opacity": 0.3 }),
      ...values.map((value, at) => dot(toX(value), top + 4 + ((at * 7) % (ROW - FONT - 16)), color)),
      drawn("line", { x1: middle, x2: middle, y1: top, y2: top + ROW - FONT - 8, stroke: color, "stroke-width": 3 }),
    ];
  });
  return [...parts, ...axis(short(low), short(high), `${measured} of ${plural(runs.length, "split")}`, bottom)];
}

/** @param {Element} svg @param {RunsQuestion} question @param {AnswerRun[]} runs @param {ShownMethod[]} methods @param {Range} range */
function drawCurves(svg, { symbol, measured, low, high, log }, runs, methods, range) {
  const top = FONT + 8;
  svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH + EDGE.bottom}`);
  const toX = scale(low, high, EDGE.left, WIDE - EDGE.right);
  const toY = scale(range.low, range.high, HIGH - 6, top);
  const ordered = [...runs].sort((a, b) => a.value - b.value);
  const parts = methods.flatMap(({ key, name, color }, at) => {
    const places = ordered.filter(({ of }) => key in of).map(({ value, of }) => [toX(value), toY(of[key])]);
    return [
      text(name, EDGE.left + at * 84, FONT, "start", color),
      drawn("polyline", { points: places.map((place) => place.join(",")).join(" "), fill: "none", stroke: color, "stroke-width": 2 }),
      ...places.map(([x, y]) => dot(x, y, color)),
    ];
  });
  const end = (/** @type {number} */ value) => short(log ? 2 ** value : value);
  return [
    ...parts, text(short(range.high), WIDE - EDGE.right, top + FONT, "end"), text(short(range.low), WIDE - EDGE.right, HIGH - 8, "end"),
    ...axis(end(low), end(high), `${measured} against ${symbol}, ${plural(runs.length, "run")}`, HIGH),
  ];
}

/** @param {string} low @param {string} high @param {string} words @param {number} top */
function axis(low, high, words, top) {
  return [
    drawn("line", { x1: EDGE.left, x2: WIDE - EDGE.right, y1: top, y2: top, stroke: "currentColor", "stroke-opacity": 0.5 }),
    text(low, EDGE.left, top + FONT + 3, "start"), text(high, WIDE - EDGE.right, top + FONT + 3, "end"),
    text(words, WIDE / 2, top + 2 * FONT + 6, "middle"),
  ];
}

/** @param {number} low @param {number} high @param {number} from @param {number} to */
const scale = (low, high, from, to) => (/** @type {number} */ value) => from + ((value - low) / (high - low || 1)) * (to - from);

/** @param {number} cx @param {number} cy @param {string} fill */
const dot = (cx, cy, fill) => drawn("circle", { cx, cy, r: 3, fill, "fill-opacity": 0.75 });

/** @param {string} words @param {number} x @param {number} y @param {string} anchor */
const text = (words, x, y, anchor, fill = "currentColor") => drawn("text", { x, y, "text-anchor": anchor, "font-size": FONT, fill }, words);
