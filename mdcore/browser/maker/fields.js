/** Fields of the form of the lesson maker. */

import { h } from "../shell/dom.js";

/** @param {string} label @param {string} value @param {(text: string) => void} take */
export function line(label, value, take) {
  return h("label", {}, label, h("input", { type: "text", value, onchange: (/** @type {any} */ event) => take(event.target.value.trim()) }));
}

/** @param {string} label @param {number} value @param {(value: number) => void} take */
export function number(label, value, take) {
  return h("label", {}, label, h("input", {
    type: "number", step: "any", value: String(value),
    onchange: (/** @type {any} */ event) => event.target.value !== "" && take(Number(event.target.value)),
  }));
}

/** @param {string} label @param {string} value @param {(lines: string[]) => void} take */
export function lines(label, value, take) {
  return text(label, value, (written) => take(written.split("\n").map((one) => one.trim()).filter(Boolean)));
}

/**
 * Creates a field for paragraphs, which are separated by empty lines.
 * @param {string} label @param {string[]} value @param {(text: string[]) => void} take
 */
export function paragraphs(label, value, take) {
  return text(label, value.join("\n\n"), (written) => take(written.split(/\n\s*\n/).map((one) => one.trim()).filter(Boolean)));
}

/** @param {string} label @param {string} value @param {(text: string) => void} take */
function text(label, value, take) {
  return h("label", {}, label, h("textarea", { onchange: (/** @type {any} */ event) => take(event.target.value) }, value));
}

/** @param {string} label @param {{name: string, label: string}[]} options @param {string} value @param {(name: string) => void} take */
export function choice(label, options, value, take) {
  const select = h("select", { onchange: (/** @type {any} */ event) => take(event.target.value) },
    ...options.map((option) => h("option", { value: option.name, selected: option.name === value }, option.label)));
  return h("label", {}, label, select);
}

/** @param {string} label @param {boolean} checked @param {(ticked: boolean) => void} take */
export function checkbox(label, checked, take) {
  return h("label", {}, h("input", { type: "checkbox", checked, onchange: (/** @type {any} */ event) => take(event.target.checked) }), label);
}

/**
 * Creates checkboxes. Ticked names keep their order, and names that are not among the options are kept.
 * @param {string} legend @param {{name: string, label: string}[]} options @param {string[]} ticked
 * @param {(names: string[]) => void} take
 */
export function ticks(legend, options, ticked, take) {
  let names = ticked;
  const boxes = options.map(({ name, label }) => checkbox(label, names.includes(name), (checked) => {
    names = [...names.filter((other) => other !== name), ...(checked ? [name] : [])];
    take(names);
  }));
  return h("fieldset", {}, h("legend", {}, legend), boxes);
}

/** Sets a property, or deletes it if the value is empty. @param {any} owner @param {string} key @param {any} value */
export function put(owner, key, value) {
  if (value === "" || value.length === 0) delete owner[key];
  else owner[key] = value;
}
