/** The form for the question of a step: choose an answer, draw a curve, place a point, or take a run. */

import { choice, line, lines, make, number } from "./fields.js";

/**
 * @typedef {{name: string, label: string}} Named
 * @typedef {{controls: Named[], methods: Named[], runs: Named[], statistics: Named[]}} Known  of the revealed state
 */

const KINDS = [
  { name: "choice", label: "choose an answer" },
  { name: "curve", label: "draw the margin curve" },
  { name: "points", label: "place an example" },
  { name: "runs", label: "take one run of many" },
];
/**
 * Unfinished multiple-choice questions, which lack text or options.
 * @type {WeakMap<object, {text: string, options: string[]}>}
 */
const begun = new WeakMap();
const CLASSES = [{ name: "0", label: "first class" }, { name: "1", label: "second class" }];
const SEEDS = { low: 0, high: 999 };

/** Returns a new question of a kind. @param {string} kind @param {string} text @param {Known} known @returns {any} */
function fresh(kind, text, { methods, runs, statistics }) {
  if (kind === "curve") return { kind, text: text || "Draw the margin curve.", method: methods[0]?.name ?? "", axis: [-1, 1] };
  if (kind === "points") return { kind, text: text || "Where would you place it?", class: 0 };
  return { kind, text: text || "How widely will they scatter?", param: runs[0]?.name ?? "seed", statistic: statistics[0].name, ...SEEDS };
}

/**
 * @param {{question?: any}} step @param {Known} known
 * @param {() => void} kept  called after every change
 */
export function questionForm(step, known, kept) {
  const box = make("fieldset", {}, make("legend", {}, "Question before the reveal"));
  const fields = make("div", {});
  box.append(choice("The audience is to", KINDS, step.question?.kind ?? "choice", (kind) => {
    const text = step.question?.text ?? "";
    if (kind === "choice") delete step.question;
    else step.question = fresh(kind, text, known);
    kept();
    fill();
  }), fields);

  function fill() {
    const kind = step.question?.kind ?? "choice";
    fields.replaceChildren(...(kind === "choice" ? choiceFields(step, kept) : otherFields(step.question, known, kept, fill)));
  }
  fill();
  return box;
}

/** @param {{text: string, options: string[], answer: number} | undefined} asked */
const written = (asked) => ({
  text: asked?.text ?? "",
  options: (asked?.options ?? []).map((option, at) => (at === asked?.answer ? `* ${option}` : option)),
});

/** @param {{question?: any}} step @param {() => void} kept */
function choiceFields(step, kept) {
  let { text, options } = begun.get(step) ?? written(step.question);
  function take() {
    begun.set(step, { text, options });
    const marked = options.findIndex((option) => option.startsWith("*"));
    if (!text || options.length < 2) delete step.question;
    else step.question = { kind: "choice", text, options: options.map((option) => option.replace(/^\*\s*/, "")), answer: Math.max(0, marked) };
    kept();
  }
  return [
    line("Question", text, (words) => {
      text = words;
      take();
    }),
    lines("Options, one per line; the correct one starts with *", options.join("\n"), (all) => {
      options = all;
      take();
    }),
  ];
}

/** @param {any} asked @param {Known} known @param {() => void} kept @param {() => void} again  rebuilds the fields */
function otherFields(asked, known, kept, again) {
  const set = (/** @type {string} */ key) => (/** @type {any} */ value) => {
    asked[key] = value;
    kept();
  };
  const words = line("Question", asked.text, set("text"));
  if (asked.kind === "points") return [words, choice("The example is of the", CLASSES, String(asked.class), (name) => set("class")(Number(name)))];
  if (asked.kind === "curve") {
    const end = (/** @type {number} */ at) => (/** @type {number} */ value) => set("axis")(asked.axis.with(at, value));
    return [words, choice("Of the method", known.methods, asked.method, set("method")),
      number("The paper begins at margin", asked.axis[0], end(0)), number("and ends at margin", asked.axis[1], end(1))];
  }
  return [words, ...runFields(asked, known, set, again)];
}

/** @param {any} asked @param {Known} known @param {(key: string) => (value: any) => void} set @param {() => void} again */
function runFields(asked, { runs, statistics }, set, again) {
  const powers = make("label", {}, make("input", {
    type: "checkbox", checked: Boolean(asked.log),
    onchange: (/** @type {any} */ event) => {
      if (!event.target.checked) delete asked.log;
      else asked.log = true;
      set("kind")("runs");
    },
  }), "both are powers of two");
  return [
    choice("Everyone is one value of", runs, asked.param, (name) => {
      delete asked.log;
      Object.assign(asked, name === "seed" ? SEEDS : { low: -8, high: 8, log: true });
      set("param")(name);
      again();
    }),
    choice("Shown is the", statistics, asked.statistic, set("statistic")),
    number("From", asked.low, set("low")), number("to", asked.high, set("high")),
    ...(asked.param === "seed" ? [] : [powers]),
  ];
}
