import { createPopover } from "./a11y.js";
import { h } from "./dom.js";
import { powerOf, short } from "./format.js";

/**
 * @import { Child } from "./dom.js"
 */

/**
 * Creates the small "?" beside a control: what it does, its legal values, the values tried in the paper.
 * @param {AnyControl} control @param {string} owner
 */
export function createHelp(control, owner) {
  const title = [owner, control.symbol].filter(Boolean).join(" · ");
  return createNote(title, h("p", {}, control.help), facts(control));
}

/** Creates a small "?" that opens a note. @param {string} title @param {...(Child | Child[])} content */
export function createNote(title, ...content) {
  const button = h("button", { type: "button", class: "ml-help", "aria-label": `Help for ${title}` }, "?");
  const panel = h("div", { class: "ml-help-panel", role: "dialog", "aria-label": title }, h("strong", {}, title), content);
  createPopover(button, panel);
  return h("span", { class: "ml-help-slot" }, button, panel);
}

/** Creates a note with a paragraph for each text. @param {string} title @param {string[]} texts */
export const createTextNote = (title, texts) => createNote(title, ...texts.map((text) => h("p", {}, text)));

/** Creates a note with words and their meanings. @param {string} title @param {Iterable<[word: string, meaning: string]>} meanings */
export const createWordNote = (title, meanings) =>
  createNote(title, h("dl", {}, [...meanings].flatMap(([word, meaning]) => [h("dt", {}, word), h("dd", {}, meaning)])));

/** @param {AnyControl} control */
function facts(control) {
  const rows = [
    ["Legal", control.legal],
    ["Options", control.options?.length ? control.options.join(", ") : null],
    ["Paper's grid", control.grid?.length ? grid(control.grid) : null],
    ["Words", control.words?.length ? control.words.join(", ") : null],
    ["Default", short(control.default)],
    ["Name", control.name],
  ];
  return h("dl", {}, rows.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** Formats a grid; powers of two are written as powers. @param {number[]} values */
function grid(values) {
  const exponents = values.map(Math.log2);
  const powers = values.length > 3 && exponents.every(Number.isInteger);
  return (powers ? exponents.map((exponent) => powerOf(2, exponent)) : values.map((value) => short(value))).join(", ");
}
