import { countUpTo } from "../canvas/steps.js";
import { h, setAttribute, setText } from "../shell/dom.js";
import { change, labelText, percent, rate, short, steady, thousands } from "../shell/format.js";
import { SIGNS, TERMS } from "../shell/glossary.js";
import { createWordNote } from "../shell/help.js";
import { EVERY_CLASS, classWords, curveOf, statsOf } from "../state/class_filter.js";

/**
 * @typedef {ReturnType<typeof createCell>} TableCell
 * @typedef {{key: string, split: Split, cells: TableCell[], signs: HTMLElement[], below: HTMLElement}} Row
 */

/** @type {{key: keyof Stats, title: string, long: string, meaning: string}[]} */
const COLUMNS = [
  { key: "mean", title: "mean", long: "mean margin", meaning: TERMS["mean margin"] },
  { key: "variance", title: "variance", long: "variance of the margins", meaning: TERMS.variance },
  { key: "semivariance", title: "semi-var.", long: "semi-variance: mean of the squared shortfall below the mean", meaning: TERMS["semi-variance"] },
  { key: "min", title: "min.", long: "smallest margin", meaning: TERMS["smallest margin"] },
  { key: "accuracy", title: "accuracy", long: "share of positive margins", meaning: SIGNS.accuracy },
];
/** @type {[word: string, meaning: string][]} */
const MEANINGS = [
  ...COLUMNS.map(({ title, meaning }) => /** @type {[string, string]} */ ([title, meaning])),
  ["≤ t", SIGNS.threshold], ["train", SIGNS["training examples"]], ["test", SIGNS["test examples"]], ["always ‘…’", SIGNS.majority],
  ["geometric", TERMS["geometric scale"]], ["functional", TERMS["functional scale"]],
];
/** @type {Split[]} */
const SPLITS = ["train", "test"];

/** Creates the table of statistics: a row per method and part, with differences from each pin, and last the majority class. */
export function createTable() {
  const caption = h("caption", {});
  const body = h("tbody", {});
  const foot = h("tfoot", {});
  const share = h("th", { scope: "col", class: "ml-below" });
  const table = h("table", { class: "ml-table" }, caption,
    h("thead", {}, h("tr", {},
      h("th", { scope: "col" }, "method"), h("th", { scope: "col" }, h("span", { class: "ml-hidden" }, "part")),
      COLUMNS.map(({ title, long }) => h("th", { scope: "col", title: long }, title)), share)),
    body, foot);
  const element = h("div", { class: "ml-table-frame", role: "region", "aria-label": "Statistics of the margins" },
    createWordNote("Statistics of the margins", MEANINGS), table);
  const baseline = createBaseline(foot);
  /** @type {Row[]} */
  let rows = [];
  let shape = "";

  /** @param {Scene} scene */
  function build(scene) {
    rows = [];
    body.replaceChildren();
    for (const panel of scene.panels) {
      for (const split of SPLITS) {
        const pins = scene.pins.filter((pin) => pinned(pin, panel.key));
        const cells = COLUMNS.map(({ key }) => createCell(panel.key, split, key, pins));
        const signs = pins.map((pin) => createSign(numberOf(pin)));
        const below = h("td", { class: "ml-below" });
        const name = split === "train"
          ? h("th", { scope: "rowgroup", rowspan: SPLITS.length, class: "ml-method" }, h("i", { class: "ml-dot" }), panel.name)
          : null;
        body.append(h("tr", { class: `ml-${split}`, style: { "--ml-accent": panel.color } },
          name, h("th", { scope: "row" }, h("span", { class: "ml-value" }, split), signs), cells.map(({ element: cell }) => cell), below));
        rows.push({ key: panel.key, split, cells, signs, below });
      }
    }
  }

  return {
    element,
    /**
     * @param {number} chosen  the class whose examples are counted, or EVERY_CLASS
     * @param {number} t  the threshold: the last column counts the margins up to it
     * @param {Scene} scene
     */
    update(scene, chosen = EVERY_CLASS, t = 0) {
      const next = [...scene.panels.map(({ key, name }) => key + name), ...scene.pins.map(({ slot, query }) => slot + query)].join("|");
      if (next !== shape) build(scene);
      shape = next;
      const { train, test } = sizesOf(scene, chosen);
      const rulers = new Set(scene.panels.map(({ ruler }) => ruler).filter(Boolean));
      const apart = rulers.size > 1 ? "in different units: not comparable" : "";
      setText(caption, [`Margins, ${scene.values.scale} scale`, classWords(scene, chosen), `${thousands(train)} train, ${thousands(test)} test`, apart].filter(Boolean).join(" · "));
      table.toggleAttribute("data-read", t !== 0); // at 0 the share is what the accuracy lacks to 1
      setText(share, `≤ ${short(t)}`);
      setAttribute(share, "title", `share of margins at or below the threshold t = ${short(t, 6)} of the cumulative curves`);
      for (const { key, split, cells, below } of rows) {
        const pins = scene.pins.filter((pin) => pinned(pin, key));
        const panel = scene.panels.find((one) => one.key === key);
        const stats = panel ? statsOf(scene, panel, split, chosen) : null;
        for (const [column, cell] of cells.entries()) {
          const name = COLUMNS[column].key;
          const bases = pins.map((pin) => {
            const old = pinned(pin, key);
            const foreign = name !== "accuracy" && old?.ruler !== panel?.ruler; // no difference between different units
            return chosen < 0 && !foreign ? old?.stats[split][name] ?? null : null;
          });
          cell.update(stats?.[name] ?? null, bases);
        }
        const ordered = curveOf(scene, key, split, chosen);
        setText(below, ordered?.length ? percent(countUpTo(ordered, t) / ordered.length) : "–");
      }
      for (const number of new Set(scene.pins.map(numberOf))) hideUnmoved(rows, number);
      baseline.update(scene, chosen);
    },
  };
}

/** Hides the line of a pin in rows without any difference. @param {Row[]} rows @param {string} number */
function hideUnmoved(rows, number) {
  for (const { cells, signs } of rows) {
    const own = cells.flatMap(({ deltas }) => deltas.filter((delta) => delta.dataset.pin === number));
    const moved = own.some((delta) => delta.dataset.moved === "true");
    for (const part of [...own, ...signs.filter((sign) => sign.textContent === number)]) part.hidden = !moved;
  }
}

/** Creates the row for always predicting the most frequent class. @param {HTMLElement} foot */
function createBaseline(foot) {
  const name = h("th", { scope: "row", colspan: 2, title: "The accuracy of always predicting the most frequent class of the training examples" });
  const cell = h("td", { colspan: COLUMNS.length });
  foot.append(h("tr", { class: "ml-majority", "data-testid": "majority" }, name, cell, h("td", { class: "ml-below" })));
  return {
    /** @param {Scene} scene @param {number} chosen */
    update({ majority }, chosen) {
      foot.hidden = !majority || chosen >= 0;
      if (foot.hidden) return;
      const { label, train, test } = majority;
      setText(name, `always ‘${labelText(label)}’`);
      const shown = `accuracy: train ${steady(train)}${test === null ? "" : `, test ${steady(test)}`}`;
      setText(cell, shown);
      setAttribute(cell, "data-train", String(train));
      setAttribute(cell, "data-test", String(test ?? ""));
    },
  };
}

/** @param {Scene} scene @param {number} chosen */
function sizesOf({ arrays, split }, chosen) {
  if (chosen < 0) return split;
  /** @param {number} part */
  const size = (part) => arrays.label.reduce((count, label, i) => count + (label === chosen && arrays.part[i] === part ? 1 : 0), 0);
  return { train: size(0), test: size(1) };
}

/** @param {Pin} pin @param {string} key */
const pinned = (pin, key) => pin.panels.find((panel) => panel.key === key);

/** @param {Pin} pin */
const numberOf = ({ slot }) => slot.slice(-1);

/** Creates the number of a pin in a circle, as it stands beside the ghost's curves. @param {string} number */
const createSign = (number) =>
  h("small", { class: "ml-delta" }, h("span", { class: "ml-pin-sign", title: `difference from pin ${number}` }, number));

/** @param {string} method @param {Split} split @param {string} stat @param {Pin[]} pins */
function createCell(method, split, stat, pins) {
  const value = h("span", { class: "ml-value" });
  const deltas = pins.map(numberOf).map((number) => h("small", { class: "ml-delta", "data-pin": number }));
  const element = h("td", { "data-testid": "stat", "data-method": method, "data-split": split, "data-stat": stat }, value, deltas);
  return {
    element,
    deltas,
    /** @param {number | null} number @param {(number | null)[]} bases */
    update(number, bases) {
      const exact = number === null ? "" : String(number);
      if (element.dataset.value !== exact) {
        element.dataset.value = exact;
        element.title = exact;
        setText(value, stat === "accuracy" ? rate(number) : steady(number));
      }
      for (const [at, base] of bases.entries()) {
        const known = number !== null && base !== null;
        const delta = deltas[at];
        setText(delta, change(base, number));
        setAttribute(delta, "data-moved", String(known && number !== base));
        setAttribute(delta, "title", known ? `${short(number - base, 6)} from pin ${delta.dataset.pin} (${base})` : "");
      }
    },
  };
}
