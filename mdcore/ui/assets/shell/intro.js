import { h } from "./dom.js";
import { icon } from "./icons.js";

const KEY = "margin-lab intro";
const SVG = "http://www.w3.org/2000/svg";

/** For who has never heard of a margin: one drawing and three sentences, until they are put away. */
export function createIntro() {
  const close = h("button", { type: "button", class: "ml-button", "aria-label": "Put the introduction away", title: "Put away", onclick: dismiss }, icon("clear"));
  const element = h("section", { class: "ml-intro", "aria-label": "What is a margin?", hidden: wasDismissed() },
    h("header", {}, h("h2", {}, "What is a margin?"), close),
    drawing(),
    h("p", {}, "A margin is an example’s distance to the boundary, negative on the wrong side."),
    h("p", {}, "An SVM looks at the smallest; the other methods shape how all of them spread."),
    h("p", {}, "The hope: a narrow lot, far right of zero."));

  function dismiss() {
    element.hidden = true;
    try {
      localStorage.setItem(KEY, "seen");
    } catch {
      // No storage: it is put away for this visit.
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

/** Two classes, a boundary, and the margin of one example of each. */
function drawing() {
  const svg = shape("svg", { viewBox: "0 0 220 78", preserveAspectRatio: "xMidYMid meet", "aria-hidden": "true" });
  svg.append(
    shape("path", { d: "M110 4V74", class: "ml-intro-boundary" }),
    shape("path", { d: "M46 40H110M110 54H128", class: "ml-intro-margin" }),
    ...[[46, 40], [28, 22], [62, 16], [76, 58], [36, 62]].map(([cx, cy]) => shape("circle", { cx, cy, r: 5, class: "ml-intro-first" })),
    ...[[128, 54], [160, 24], [188, 46], [172, 64], [146, 40]].map(([x, y]) =>
      shape("path", { d: `M${x} ${y - 6}l5.5 10h-11z`, class: "ml-intro-second" })),
    ...[[78, 35, "large"], [119, 70, "small"], [110, 12, ""]].filter(([, , text]) => text).map(([x, y, text]) => {
      const label = shape("text", { x, y, "text-anchor": "middle" });
      label.textContent = String(text);
      return label;
    }));
  return svg;
}

/** @param {string} tag @param {Record<string, string | number>} attributes */
function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
