/** Place one example; the reveal shows the data with the examples of the whole audience. */

import { choice } from "../maker/fields.js";
import { h, setText } from "../shell/dom.js";

/** @typedef {{text: string, class: number}} PointsQuestion */

const CLASSES = [{ name: "0", label: "first class" }, { name: "1", label: "second class" }];
const WORDS = {
  phone: "Tap the picture where you want to place it.",
  page: "With an audience, each phone places one. Alone: continue, and use the editing tools.",
  file: "Think of a place, then continue.",
};

/** @param {any[]} rounds @returns {[number, number][]} */
const placedIn = (rounds) => rounds.at(-1)?.points ?? [];

/** @param {PointsQuestion} question @param {Asking} asking */
function ask(question, { where }) {
  const element = h("p", {});
  return {
    element,
    tool: `add${question.class}`,
    /** @param {Told} told */
    show({ rounds }) {
      const { length } = placedIn(rounds);
      setText(element, length
        ? `The picture also shows the examples that the room placed: ${length}. The text below describes the picture without them.`
        : WORDS[where]);
      return "";
    },
  };
}

/** @param {PointsQuestion} question @param {string} query @param {any[]} rounds */
function revealed(question, query, rounds) {
  const placed = placedIn(rounds).map(([x, y]) => `a_${x.toFixed(3)}_${y.toFixed(3)}_${question.class}`);
  if (!placed.length) return query;
  const state = new URLSearchParams(query);
  state.set("edits", [state.get("edits"), ...placed].filter(Boolean).join("~"));
  return state.toString();
}

/** @param {PointsQuestion} question @param {unknown} _ @param {() => void} changed */
function form(question, _, changed) {
  return [
    choice("The example is of the", CLASSES, String(question.class), (name) => {
      question.class = Number(name);
      changed();
    }),
  ];
}

/** @type {Kind} */
export const points = {
  title: "place an example",
  ask,
  revealed,
  fresh: () => ({ text: "Where would you place it?", class: 0 }),
  form,
};
