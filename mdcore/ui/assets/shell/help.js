import { createPopover } from "./a11y.js";
import { h } from "./dom.js";
import { powerOf, short } from "./format.js";

/**
 * @import { AnyControl } from "../state/scene.js"
 * @import { Child } from "./dom.js"
 */

/**
 * The small "?" beside a control: what it does, what is legal, the values the paper tried.
 * @param {AnyControl} control @param {string} owner
 */
export function createHelp(control, owner) {
  const title = [owner, control.symbol].filter(Boolean).join(" · ");
  return createNote(title, h("p", {}, control.help), facts(control));
}

/** A small "?" and what it says. @param {string} title @param {...(Child | Child[])} content */
export function createNote(title, ...content) {
  const button = h("button", { type: "button", class: "ml-help", "aria-label": `Help for ${title}` }, "?");
  const panel = h("div", { class: "ml-help-panel", role: "dialog", "aria-label": title }, h("strong", {}, title), content);
  createPopover(button, panel);
  return h("span", { class: "ml-help-slot" }, button, panel);
}

/** The same with a paragraph for each text. @param {string} title @param {string[]} texts */
export const createTextNote = (title, texts) => createNote(title, ...texts.map((text) => h("p", {}, text)));

/** The same with words and what each means. @param {string} title @param {Iterable<[word: string, meaning: string]>} meanings */
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

/** A grid of powers of two is written as such. @param {number[]} values */
function grid(values) {
  const exponents = values.map(Math.log2);
  const powers = values.length > 3 && exponents.every(Number.isInteger);
  return (powers ? exponents.map((exponent) => powerOf(2, exponent)) : values.map((value) => short(value))).join(", ");
}
