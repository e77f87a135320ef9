/** The words of a step: text with its terms explained, a formula, what the reveal says. */

import { createNote } from "../shell/help.js";
import { h } from "../shell/dom.js";

/** @import { Step } from "./lesson.js" */

/**
 * Terms are found whole and longest first; the first time in a step each has its definition one click away.
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
      parts.push(text.slice(end, found.index), found[0], createNote(name, h("p", {}, terms[name])));
      end = found.index + found[0].length;
    }
    return [...parts, text.slice(end)];
  };
}

/** MathML made by Python, as elements. @param {string} mathml */
export function formulaOf(mathml) {
  const parsed = new DOMParser().parseFromString(mathml, "application/xml");
  return h("div", { class: "ml-lecture-formula" }, document.importNode(parsed.documentElement, true));
}

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
  const then = h("div", { class: "ml-lecture-reveal" }, paragraphs(reveal.text),
    page ? h("p", {}, h("a", { href: page, target: "_top" }, `Go on: the page ${page}`)) : null);
  return { first, then };
}
