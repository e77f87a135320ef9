import { h, setAttribute, setText } from "../shell/dom.js";
import { short, steady } from "../shell/format.js";
import { SIGNS } from "../shell/glossary.js";
import { createNote } from "../shell/help.js";

/** Relative to the largest term, anything smaller is rounding error. */
const NEGLIGIBLE = 1e-12;

/** Creates the objectives of all methods, with bars for their terms; terms that the active slider affects light up. */
export function createObjective() {
  const list = h("div", {});
  const element = h("section", { class: "ml-objective", "aria-label": "Objective", hidden: true }, 
    h("h2", {}, "Objective ", createNote("Objective", h("p", {}, SIGNS.objective))), list);
  /** @type {{shape: string, update: (panel: Panel) => void, bars: {params: string[], element: HTMLElement}[]}[]} */
  let blocks = [];
  let lit = "";

  function light() {
    for (const { bars } of blocks) for (const bar of bars) bar.element.classList.toggle("ml-lit", bar.params.includes(lit));
  }

  return {
    element,
    /** @param {string} name  of the active slider */
    touch(name) {
      lit = name;
      light();
    },
    /** @param {Message} scene */
    update(scene) {
      const shown = scene.panels.filter(({ terms }) => terms.length > 1);
      const shapes = shown.map(({ key, name, terms }) => [key, name, ...terms.map((term) => term.name)].join("|"));
      if (shapes.join() !== blocks.map(({ shape }) => shape).join()) {
        const made = shown.map((panel, at) => createBlock(panel, shapes[at]));
        blocks = made;
        list.replaceChildren(...made.map((block) => block.element));
        light();
      }
      element.hidden = shown.length === 0;
      shown.forEach((panel, at) => blocks[at].update(panel));
    },
  };
}

/** @param {Panel} panel @param {string} shape */
function createBlock({ name, color, terms }, shape) {
  const sum = h("span", { class: "ml-objective-sum" });
  const bars = terms.map((term) => {
    const bar = h("i", {});
    const value = h("span", { class: "ml-objective-value" });
    const row = h("div", { class: "ml-objective-term" }, h("span", {}, term.name), h("span", { class: "ml-objective-track" }, bar), value);
    return { params: term.params, element: row, bar, value };
  });
  const element = h("div", { class: "ml-objective-method", style: { "--ml-accent": color } },
    h("div", { class: "ml-objective-head" }, h("i", { class: "ml-dot" }), h("b", {}, name), sum), bars.map((bar) => bar.element));
  return {
    shape, element, bars,
    /** @param {Panel} panel */
    update(panel) {
      const low = Math.min(0, ...panel.terms.map(({ value }) => value));
      const span = Math.max(0, ...panel.terms.map(({ value }) => value)) - low || 1;
      const least = NEGLIGIBLE * Math.max(...panel.terms.map(({ value }) => Math.abs(value)));
      setText(sum, `Σ ${short(panel.terms.reduce((total, { value }) => total + value, 0))}`);
      panel.terms.forEach(({ value }, at) => {
        const from = (Math.min(0, value) - low) / span;
        setAttribute(bars[at].bar, "style", `left: ${(100 * from).toFixed(1)}%; width: ${((100 * Math.abs(value)) / span).toFixed(1)}%`);
        setText(bars[at].value, Math.abs(value) < least ? "0" : steady(value));
      });
    },
  };
}
