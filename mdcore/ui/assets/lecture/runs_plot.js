/** What the audience has become, run by run: a dot for each, its value across, its statistic upwards. */

import { h } from "../shell/dom.js";
import { short } from "../shell/format.js";

const COLORS = ["#E69F00", "#009E73", "#CC79A7", "#56B4E9"];
const WIDE = 320;
const HIGH = 190;
const EDGE = { left: 46, right: 8, top: 18, bottom: 28 };
const SVG = "http://www.w3.org/2000/svg";

/** @import { Run, RunsQuestion } from "./lesson.js" */

/** @param {RunsQuestion} question */
export function createRunsPlot({ param, statistic, low, high }) {
  const svg = svgOf("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", class: "ml-lecture-runs" });
  const element = h("div", {}, svg);

  /** @param {Run[]} runs */
  function update(runs) {
    const methods = [...new Set(runs.flatMap(({ of }) => Object.keys(of)))];
    const values = runs.flatMap(({ of }) => Object.values(of));
    const bottom = Math.min(...values);
    const top = Math.max(...values);
    svg.setAttribute("aria-label", runs.length ? `${statistic} of ${runs.length} runs, from ${short(bottom)} to ${short(top)}` : "No run yet");
    /** @param {number} value */
    const toX = (value) => EDGE.left + ((value - low) / (high - low)) * (WIDE - EDGE.left - EDGE.right);
    /** @param {number} value */
    const toY = (value) => HIGH - EDGE.bottom - ((value - bottom) / (top - bottom || 1)) * (HIGH - EDGE.top - EDGE.bottom);
    svg.replaceChildren(
      text(`${runs.length} runs: ${statistic} against ${param}`, WIDE / 2, HIGH - 4, "middle"),
      ...(runs.length ? [text(short(top), EDGE.left - 4, EDGE.top + 4, "end"), text(short(bottom), EDGE.left - 4, HIGH - EDGE.bottom, "end")] : []),
      ...methods.map((method, at) => text(method, EDGE.left + at * 66, 11, "start", COLORS[at % COLORS.length])),
      ...runs.flatMap(({ value, of }) => methods.filter((method) => method in of).map((method) => svgOf("circle", {
        cx: toX(value), cy: toY(of[method]), r: 3.2, fill: COLORS[methods.indexOf(method) % COLORS.length], "fill-opacity": 0.75,
      }))));
  }
  update([]);
  return { element, update, destroy: () => element.remove() };
}

/** @param {string} words @param {number} x @param {number} y @param {string} anchor */
function text(words, x, y, anchor, fill = "currentColor") {
  const made = svgOf("text", { x, y, "text-anchor": anchor, "font-size": 11, fill });
  made.textContent = words;
  return made;
}

/** @param {string} name @param {{[name: string]: string | number}} attributes */
function svgOf(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
