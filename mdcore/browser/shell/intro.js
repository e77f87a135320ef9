import { h } from "./dom.js";
import { icon } from "./icons.js";

const KEY = "margin-lab intro";
const SVG = "http://www.w3.org/2000/svg";

/** Creates an introduction to margins: one drawing and three sentences, until it is dismissed. */
export function createIntro() {
  const close = h("button", { type: "button", class: "ml-button", "aria-label": "Dismiss the introduction", title: "Dismiss", onclick: dismiss }, icon("clear"));
  const element = h("section", { class: "ml-intro", "aria-label": "What is a margin?", hidden: wasDismissed() },
    h("header", {}, h("h2", {}, "What is a margin?"), close),
    drawing(),
    h("p", {}, "A margin is an example's distance to the boundary, negative on the wrong side."),
    h("p", {}, "An SVM makes the smallest ones large; other methods shape the whole distribution."),
    h("p", {}, "The goal: a narrow one, far right of zero."));

  function dismiss() {
    element.hidden = true;
    try {
      localStorage.setItem(KEY, "seen");
    } catch {
      // Without storage it is dismissed for this visit only.
    }
  }

  return { element };
}

function wasDismissed() {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

/** Draws two classes, a boundary, and the margin of one example of each. */
function drawing() {
  const svg = shape("svg", { viewBox: "0 0 240 62", preserveAspectRatio: "xMidYMid meet", "aria-hidden": "true" });
  svg.append(
    shape("path", { d: "M120 2V60", class: "ml-intro-boundary" }),
    shape("path", { d: "M50 32H120M120 46H140", class: "ml-intro-margin" }),
    ...[[50, 32], [30, 16], [66, 10], [82, 52], [36, 52]].map(([cx, cy]) => shape("circle", { cx, cy, r: 5, class: "ml-intro-first" })),
    ...[[140, 46], [172, 20], [206, 32], [146, 14], [224, 14]].map(([x, y]) =>
      shape("path", { d: `M${x} ${y - 6}l5.5 10h-11z`, class: "ml-intro-second" })),
    label(86, 27, "large"), label(167, 51, "small"));
  return svg;
}

/** @param {number} x @param {number} y @param {string} text */
function label(x, y, text) {
  const element = shape("text", { x, y, "text-anchor": "middle" });
  element.textContent = text;
  return element;
}

/** @param {string} tag @param {Record<string, string | number>} attributes */
function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
