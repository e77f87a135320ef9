/** The form for the question of a step, of any kind. */

import { choice, line } from "./fields.js";
import { KINDS } from "../questions/kinds.js";
import { h } from "../shell/dom.js";

/** @typedef {{kind: string, text: string, [key: string]: any}} Draft */

/** Unfinished questions, which no lesson can contain. @type {WeakMap<object, Draft>} */
const drafts = new WeakMap();
const FIRST = Object.keys(KINDS)[0];

/**
 * @param {{question?: Draft}} step
 * @param {(kind: string) => Known} knownFor  what the form of a kind needs
 * @param {() => void} kept  called after every change
 */
export function questionForm(step, knownFor, kept) {
  /** @param {string} kind @param {string} [text] @returns {Draft} */
  const fresh = (kind, text) => ({ kind, text: "", ...KINDS[kind].fresh(knownFor(kind)), ...(text ? { text } : {}) });
  let asked = step.question ?? drafts.get(step) ?? fresh(FIRST);
  const fields = h("div", {});

  function changed() {
    if (KINDS[asked.kind].isComplete?.(asked) ?? true) step.question = asked;
    else {
      delete step.question;
      drafts.set(step, asked);
    }
    kept();
  }

  function fill() {
    const words = line("Question", asked.text, (text) => {
      asked.text = text;
      changed();
    });
    fields.replaceChildren(words, ...KINDS[asked.kind].form(asked, knownFor(asked.kind), changed, fill));
  }

  fill();
  const kinds = Object.entries(KINDS).map(([name, { title }]) => ({ name, label: title }));
  return h("fieldset", {}, h("legend", {}, "Question before the reveal"),
    choice("What the audience does", kinds, asked.kind, (kind) => {
      asked = fresh(kind, asked.text);
      changed();
      fill();
    }), fields);
}
