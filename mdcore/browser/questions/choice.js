/** Choose one of several options. */

import { h } from "../shell/dom.js";
import { lines } from "../maker/fields.js";

/** @typedef {{text: string, options: string[], answer: number}} ChoiceQuestion */

/** @param {ChoiceQuestion} question @param {Asking} asking */
function ask({ options }, { give }) {
  const bars = options.map(() => h("span", { class: "ml-bars" }));
  const buttons = options.map((option, at) =>
    h("button", { type: "button", class: "ml-option", onclick: () => give(at) }, h("span", {}, option), bars[at]));
  return {
    element: h("div", {}, buttons),
    /** @param {Told} told */
    show({ answer, closed, truth, rounds }) {
      buttons.forEach((button, at) => {
        button.setAttribute("aria-pressed", String(answer === at));
        button.classList.toggle("ml-right", closed && truth === at);
        button.disabled = closed;
      });
      const told = rounds.some(({ counts }) => counts.some(Boolean)) ? rounds : [];
      bars.forEach((bar, at) => bar.replaceChildren(...told.map(({ counts }, round) => countBar(counts, at, round, told.length))));
      if (!closed) return "";
      return answer === truth ? "Yes, that is it." : `The right answer: ${options[truth]}.`;
    },
  };
}

/** @param {number[]} counts @param {number} at @param {number} round @param {number} rounds */
function countBar(counts, at, round, rounds) {
  const all = counts.reduce((sum, count) => sum + count, 0) || 1;
  const text = `${counts[at]}${rounds > 1 ? (round ? " after" : " before") : ""}`;
  return h("span", { class: "ml-count", style: { width: `${(100 * counts[at]) / all}%` } }, text);
}

/** @param {ChoiceQuestion} question @param {unknown} _ @param {() => void} changed */
function form(question, _, changed) {
  const marked = question.options.map((option, at) => (at === question.answer ? `* ${option}` : option));
  return [
    lines("Options, one per line; the correct one starts with *", marked.join("\n"), (all) => {
      question.options = all.map((option) => option.replace(/^\*\s*/, ""));
      question.answer = Math.max(0, all.findIndex((option) => option.startsWith("*")));
      changed();
    }),
  ];
}

/** @type {Kind} */
export const choice = {
  title: "choose an answer",
  ask,
  truth: ({ answer }) => answer,
  fresh: () => ({ options: [], answer: 0 }),
  isComplete: ({ text, options }) => text && options.length > 1,
  form,
};
