/** Take one run of many: each phone takes one value of a parameter, and the picture shows a statistic of all runs. */

import { checkbox, choice, number } from "../maker/fields.js";
import { createRunsPlot } from "./runs_plot.js";
import { h, setText } from "../shell/dom.js";

/**
 * @typedef {{text: string, param: string, symbol: string, statistic: string, measured: string, low: number, high: number,
 *   log?: boolean}} RunsQuestion
 */

const SEED = "seed";
const SEEDS = { low: 0, high: 999 };
const POWERS = { low: -8, high: 8, log: true };

/** @param {RunsQuestion} question @param {Asking} asking */
const ask = (question, asking) => (asking.where === "phone" ? askForValue(question, asking) : showRuns(question, asking));

/** @param {RunsQuestion} question @param {Asking} asking */
function askForValue({ param, symbol, low, high, log = false }, { give }) {
  const whole = param === SEED;
  const drawn = whole ? Math.floor(low + Math.random() * (high - low + 1)) : (low + high) / 2;
  const input = h("input", {
    type: "range", min: low, max: high, step: whole ? 1 : 0.25, value: drawn, "aria-label": whole ? "Your split" : symbol, oninput: tell,
  });
  const words = h("output", {});
  const button = h("button", { type: "button", class: "ml-option", onclick: () => give(Number(input.value)) },
    whole ? "This is my split" : "This is my value");
  function tell() {
    setText(words, log ? `2^${input.value}` : input.value);
  }
  tell();
  return {
    element: h("div", {},
      h("p", {}, whole ? "Your phone runs one random split." : `Your phone runs one value of ${symbol}: choose which.`), input, words, button),
    /** @param {Told} told */
    show({ closed }) {
      input.disabled = button.disabled = closed;
      return "";
    },
  };
}

/** @param {RunsQuestion} question @param {Asking} asking */
function showRuns(question, { where }) {
  const plot = createRunsPlot(question);
  const alone = h("p", {}, where === "page"
    ? `With an audience, each phone takes one run. Alone: continue, and move the slider ${question.symbol}.` : "Guess, then continue.");
  return {
    element: h("div", {}, plot.element, alone),
    /** @param {Told} told */
    show({ runs: known, methods }) {
      alone.hidden = known.length > 0;
      plot.update(known, methods);
      return "";
    },
  };
}

/** @param {RunsQuestion} question @param {Known} known @param {() => void} changed @param {() => void} again */
function form(question, { params, schema }, changed, again) {
  const set = (/** @type {"statistic" | "low" | "high"} */ key) => (/** @type {any} */ value) => {
    Object.assign(question, { [key]: value });
    changed();
  };
  return [
    choice("Each phone takes one value of", [{ name: SEED, label: "the split (seed)" }, ...params], question.param, (param) => {
      delete question.log;
      Object.assign(question, { param }, param === SEED ? SEEDS : POWERS);
      changed();
      again();
    }),
    choice("Shown is the", schema.statistic.enum.map((/** @type {string} */ name) => ({ name, label: name })), question.statistic, set("statistic")),
    number("From", question.low, set("low")), number("to", question.high, set("high")),
    ...(question.param === SEED ? [] : [checkbox("both are powers of two", Boolean(question.log), (ticked) => {
      if (ticked) question.log = true;
      else delete question.log;
      changed();
    })]),
  ];
}

/** @type {Kind} */
export const runs = {
  title: "take one run of many",
  ask,
  fresh: ({ schema }) => ({ text: "How widely will they scatter?", param: SEED, statistic: schema.statistic.enum[0], ...SEEDS }),
  form,
};
