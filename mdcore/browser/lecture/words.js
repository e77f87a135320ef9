/** The text of a step: paragraphs with terms explained, a formula, the reveal. */

import { createPopover } from "../shell/a11y.js";
import { h } from "../shell/dom.js";

/**
 * Links the first occurrence of each term in a step to its definition. Terms match whole words, the longest first.
 * @param {{[term: string]: string}} terms
 */
export function createGlossary(terms) {
  const names = Object.keys(terms).sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\p{L}])(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?![\\p{L}])`, "giu");
  return (/** @type {string} */ text, /** @type {Set<string>} */ known) => {
    if (!names.length) return [text];
    /** @type {(string | Node)[]} */
    const parts = [];
    let end = 0;
    for (const found of text.matchAll(pattern)) {
      const name = names.find((each) => each.toLowerCase() === found[0].toLowerCase());
      if (!name || known.has(name)) continue;
      known.add(name);
      const mark = /^[.,:;)’']*/.exec(text.slice(found.index + found[0].length))?.[0] ?? "";
      parts.push(text.slice(end, found.index), createTerm(found[0], name, terms[name], mark));
      end = found.index + found[0].length + mark.length;
    }
    return [...parts, text.slice(end)];
  };
}

/**
 * Creates a term in the text that opens its definition.
 * @param {string} word @param {string} name @param {string} definition @param {string} mark  punctuation to keep on the same line
 */
function createTerm(word, name, definition, mark) {
  const button = h("button", { type: "button", class: "ml-term", title: "What is this?" }, word);
  const panel = h("div", { class: "ml-help-panel", role: "dialog", "aria-label": name }, h("strong", {}, name), h("p", {}, definition));
  createPopover(button, panel);
  return h("span", { class: "ml-term-slot" }, button, mark, panel);
}

/** Returns MathML from Python as elements. @param {string} mathml */
export function formulaOf(mathml) {
  const parsed = new DOMParser().parseFromString(mathml, "application/xml");
  const formula = h("div", { class: "ml-lecture-formula" }, document.importNode(parsed.documentElement, true));
  sizes.observe(formula);
  return formula;
}

/** Scales formulas to fit their column, so that none is cut off. */
const sizes = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    if (target instanceof HTMLElement && target.isConnected) fit(target);
  }
});

/** @param {HTMLElement} formula */
function fit(formula) {
  formula.style.fontSize = "";
  const math = formula.querySelector("math");
  if (!math) return;
  const { paddingLeft, paddingRight, fontSize } = getComputedStyle(formula);
  const room = formula.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const wide = inkWidth(math);
  if (wide > room && room > 0) formula.style.fontSize = `${(parseFloat(fontSize) * room) / wide}px`;
}

/** @param {Element} math */
function inkWidth(math) {
  const edges = [...math.querySelectorAll("*")].map((part) => part.getBoundingClientRect());
  return Math.max(...edges.map(({ right }) => right)) - Math.min(...edges.map(({ left }) => left));
}

/** Names of the pages that a lesson can link to. @type {{[page: string]: string}} */
const PAGES = { sensitivity: "Sensitivity", compare: "Compare", multiclass: "Multi-class", online: "Online", tables: "Tables", methods: "Methods" };

/**
 * @param {Step} step
 * @param {ReturnType<typeof createGlossary>} explain
 */
export function createWords({ text, formula, reveal, page }, explain) {
  /** @type {Set<string>} */
  const known = new Set();
  /** @param {string[]} all */
  const paragraphs = (all) => all.map((one) => h("p", {}, explain(one, known)));
  const first = h("div", {}, paragraphs(text), formula ? formulaOf(formula) : null);
  const then = h("div", { class: "ml-lecture-reveal" }, paragraphs(reveal.text), paragraphs(reveal.try),
    page ? h("p", {}, h("a", { href: page, target: "_top" }, `Continue on the page ${PAGES[page]}`)) : null);
  return { first, then };
}
