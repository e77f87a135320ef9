import { drawn, h } from "./dom.js";
import { icon } from "./icons.js";
import { recall, remember } from "../state/storage.js";

const KEY = "margin-lab intro";

/** Creates an introduction to margins: one drawing and three sentences, until it is dismissed. */
export function createIntro() {
  const close = h("button", { type: "button", class: "ml-button", "aria-label": "Dismiss the introduction", title: "Dismiss", onclick: dismiss }, icon("clear"));
  const element = h("section", { class: "ml-intro", "aria-label": "What is a margin?", hidden: recall("localStorage", KEY) !== null },
    h("header", {}, h("h2", {}, "What is a margin?"), close),
    drawing(),
    h("p", {}, "A margin is an example's distance to the boundary, negative on the wrong side."),
    h("p", {}, "An SVM makes the smallest ones large; other methods shape the whole distribution."),
    h("p", {}, "The goal: a narrow one, far right of zero."));

  function dismiss() {
    element.hidden = true;
    remember("localStorage", KEY, "seen");
  }

  return { element };
}

/** Draws two classes, a boundary, and the margin of one example of each. */
function drawing() {
  const svg = drawn("svg", { viewBox: "0 0 240 62", preserveAspectRatio: "xMidYMid meet", "aria-hidden": "true" });
  svg.append(
    drawn("path", { d: "M120 2V60", class: "ml-intro-boundary" }),
    drawn("path", { d: "M50 32H120M120 46H140", class: "ml-intro-margin" }),
    ...[[50, 32], [30, 16], [66, 10], [82, 52], [36, 52]].map(([cx, cy]) => drawn("circle", { cx, cy, r: 5, class: "ml-intro-first" })),
    ...[[140, 46], [172, 20], [206, 32], [146, 14], [224, 14]].map(([x, y]) =>
      drawn("path", { d: `M${x} ${y - 6}l5.5 10h-11z`, class: "ml-intro-second" })),
    drawn("text", { x: 86, y: 27, "text-anchor": "middle" }, "large"), drawn("text", { x: 167, y: 51, "text-anchor": "middle" }, "small"));
  return svg;
}
