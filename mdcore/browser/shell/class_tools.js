/** The tools that add an example: each bears the mark of its class, and is named after it. */

import { createMark } from "../canvas/glyphs.js";
import { className } from "../state/class_filter.js";
import { setAttribute } from "./dom.js";
import { icon } from "./icons.js";
import { ADDING } from "./tools.js";
import { spoken } from "./words.js";

/** @param {HTMLElement} group  of the tools as radio buttons */
export function createClassTools(group) {
  const tools = [...ADDING].map(([tool, label]) => ({ label, button: /** @type {HTMLElement} */ (group.querySelector(`[data-value=${tool}]`)) }));
  for (const { button } of tools) button.classList.add("ml-class");

  return {
    /** Draws the marks in the colours of a theme. @param {Theme} theme */
    paint(theme) {
      for (const { label, button } of tools) button.replaceChildren(createMark(label, theme), icon("add"));
    },
    /** @param {string[]} classes */
    name(classes) {
      for (const { label, button } of tools) {
        const name = `Add example of ${className(classes[label])}`;
        setAttribute(button, "title", name);
        setAttribute(button, "aria-label", spoken(name));
      }
    },
  };
}
