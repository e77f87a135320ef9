/** Draw the cumulative margin curve of a method before it is shown. */

import { createCurvePad } from "./curve_pad.js";
import { areaBetween, quantiles } from "./score.js";
import { choice, number } from "../maker/fields.js";
import { h } from "../shell/dom.js";
import { short } from "../shell/format.js";

/** @typedef {{text: string, method: string, axis: [number, number], levels: number}} CurveQuestion */

/** @param {CurveQuestion} question @param {Asking} asking */
function ask({ text, axis: [low, high], levels }, { give }) {
  const element = h("div", {});
  const pad = createCurvePad(element, { low, high, levels, label: text, onDraw: give });
  return {
    element,
    /** @param {Told} told */
    show({ answer, closed, truth, rounds }) {
      const drawn = Array.isArray(answer) ? answer : null;
      if (drawn && !pad.curve) pad.set(drawn);
      pad.lock(closed);
      const { curves = [], median = null } = rounds.at(-1) ?? {};
      pad.show([
        ...curves.map((/** @type {number[]} */ curve) => ({ curve, color: "rgba(120, 130, 140, 0.35)", width: 1 })),
        ...(median ? [{ curve: median, color: "#D55E00", width: 3, dash: [7, 4] }] : []),
        ...(closed && truth ? [{ curve: truth, color: "#009E73", width: 4 }] : []),
      ]);
      if (!closed || !truth || !drawn) return "";
      return `Area between your curve and the true one: ${short(areaBetween(drawn, truth))} (in units of margin).`;
    },
    destroy: pad.destroy,
  };
}

/** @param {CurveQuestion} question @param {Scene} scene */
function truthOf({ method, levels }, { arrays, values }) {
  const ordered = arrays[`curve:${method}:train`];
  return ordered?.length && values.scale === "geometric" ? quantiles(ordered, levels) : null;
}

/** @param {CurveQuestion} question @param {Known} known @param {() => void} changed */
function form(question, { methods }, changed) {
  const end = (/** @type {number} */ at) => (/** @type {number} */ value) => {
    question.axis[at] = value;
    changed();
  };
  return [
    choice("Of the method", methods, question.method, (method) => {
      question.method = method;
      changed();
    }),
    number("The axis begins at margin", question.axis[0], end(0)),
    number("and ends at margin", question.axis[1], end(1)),
  ];
}

/** @type {Kind} */
export const curve = {
  title: "draw the margin curve",
  ask,
  truth: truthOf,
  fresh: ({ methods }) => ({ text: "Draw the margin curve.", method: methods[0]?.name ?? "", axis: [-1, 1] }),
  form,
};
