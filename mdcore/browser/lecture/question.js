/** The question of a step on the lecture page: the reader's answer, stored in the browser, and the answers of the room. */

import { createCurvePad } from "../audience/curve_pad.js";
import { h, setText } from "../shell/dom.js";
import { short } from "../shell/format.js";
import { createRunsPlot } from "./runs_plot.js";
import { areaBetween, quantiles } from "./score.js";

/**
 * @import { ChoiceQuestion, CurveQuestion, Question, Round, Run, RunsQuestion } from "./lesson.js"
 * @import { Shown } from "./runs_plot.js"
 *
 * @typedef {{curve: number[], color: string, width: number, dash?: number[]}} DrawnCurve
 * 
 * @typedef {object} Answers
 * @property {(right: number | null) => void} [mark]
 * @property {(scene: Scene | null) => void} [reveal]
 * @property {(rounds: Round[], told: Run[], methods: Shown[]) => void} [results]
 * @property {() => void} [destroy]
 */

const LEVELS = 21;

/**
 * @param {Question} question  of the lesson
 * @param {any} kept  the answer given before, or undefined
 * @param {(answer: any) => void} keep
 * @param {boolean} free  whether the picture can be edited
 */
export function createQuestion(question, kept, keep, free) {
  const said = h("p", { class: "ml-lecture-verdict", role: "status" });
  const body = h("div", { class: "ml-lecture-answers" });
  const element = h("div", { class: "ml-lecture-question" }, h("p", { class: "ml-lecture-asked" }, question.text), body, said);
  let answer = kept;
  const kind = answersTo(question);

  /** @param {Question} asked @returns {Answers} */
  function answersTo(asked) {
    if (asked.kind === "choice") return choice(asked);
    if (asked.kind === "curve") return curve(asked);
    return asked.kind === "runs" ? runs(asked) : points();
  }

  /** @param {unknown} next */
  function give(next) {
    answer = next;
    keep(next);
    kind.mark?.(null);
  }

  /** @returns {Answers} */
  function points() {
    const alone = h("p", {}, free ? "With an audience, every phone places one. Alone: continue, and use the editing tools." : "Think of a place, then continue.");
    body.append(alone);
    return {
      results(rounds) {
        const placed = rounds[rounds.length - 1].points?.length ?? 0;
        alone.hidden = placed > 0;
        if (placed) setText(said, `The picture also has what the room placed: ${placed}. The text below describes the picture without them.`);
      },
    };
  }

  /** @param {ChoiceQuestion} asked @returns {Answers} */
  function choice(asked) {
    const bars = asked.options.map(() => h("span", { class: "ml-lecture-bars", "aria-hidden": "true" }));
    const buttons = asked.options.map((option, at) =>
      h("button", { type: "button", class: "ml-lecture-option", "aria-pressed": "false", onclick: () => give(at) }, h("span", {}, option), bars[at]));
    body.append(...buttons);
    /** @param {number | null} right */
    const mark = (right) => buttons.forEach((button, at) => {
      button.setAttribute("aria-pressed", String(answer === at));
      button.classList.toggle("ml-right", right === at);
    });
    mark(null);
    return {
      mark,
      reveal() {
        mark(asked.answer);
        for (const button of buttons) button.disabled = true;
        said.classList.toggle("ml-hidden", answer === undefined); // the frame shows it, but a screen reader needs words
        setText(said, answer === asked.answer ? "Yes, that is it." : `The right answer: ${asked.options[asked.answer]}.`);
      },
      /** @param {Round[]} rounds */
      results(rounds) {
        if (!rounds.some(({ counts }) => counts.some(Boolean))) return;
        bars.forEach((bar, at) => bar.replaceChildren(...rounds.map(({ counts }, round) => {
          const all = counts.reduce((sum, count) => sum + count, 0) || 1;
          const text = `${counts[at]}${rounds.length > 1 ? (round ? " after" : " before") : ""}`;
          return h("span", { class: "ml-lecture-count", style: { width: `${(100 * counts[at]) / all}%` } }, text);
        })));
      },
    };
  }

  /** @param {CurveQuestion} asked @returns {Answers} */
  function curve(asked) {
    const host = h("div", {});
    body.append(host);
    const [low, high] = asked.axis;
    const pad = createCurvePad(host, { low, high, label: asked.text, onDraw: give });
    if (Array.isArray(answer)) pad.set(answer);
    /** @type {DrawnCurve[]} */
    let fan = [];
    /** @type {DrawnCurve[]} */
    let truth = [];
    const show = () => pad.show([...fan, ...truth]);
    return {
      /** @param {Scene | null} scene */
      reveal(scene) {
        pad.lock(true);
        const ordered = scene?.arrays[`curve:${asked.method}:train`];
        if (!ordered?.length || scene?.values.scale !== "geometric") return;
        const exact = quantiles(ordered, LEVELS);
        truth = [{ curve: exact, color: "#009E73", width: 4 }];
        show();
        if (Array.isArray(answer)) setText(said, `The area between your curve and the true one is ${short(areaBetween(answer, exact))}, in units of margin.`);
      },
      /** @param {Round[]} rounds */
      results(rounds) {
        const { curves, median } = rounds[rounds.length - 1];
        fan = curves.map((one) => ({ curve: one, color: "rgba(120, 130, 140, 0.35)", width: 1 }));
        if (median) fan.push({ curve: median, color: "#D55E00", width: 3, dash: [7, 4] });
        show();
      },
      destroy: pad.destroy,
    };
  }

  /** @param {RunsQuestion} asked @returns {Answers} */
  function runs(asked) {
    const plot = createRunsPlot(asked);
    body.append(plot.element);
    const alone = h("p", {}, free ? `With an audience, every phone is one run. Alone: continue, and move the slider ${asked.symbol}.` : "Guess, then continue.");
    body.append(alone);
    return {
      results(_, told, methods) {
        alone.hidden = told.length > 0;
        plot.update(told, methods);
      },
      destroy: plot.destroy,
    };
  }

  return {
    element,
    /** Called when the picture shows the answer. @param {Scene | null} scene */
    reveal: (scene) => kind.reveal?.(scene),
    /** @param {Round[] | undefined} rounds @param {Run[]} told @param {Shown[]} methods  on screen */
    results: (rounds, told, methods) => rounds?.length && kind.results?.(rounds, told, methods),
    destroy: () => kind.destroy?.(),
  };
}
