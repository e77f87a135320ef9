/** Numbers about every learner so far: updates beside PUMMA's bound, mistakes, margin. */

import { h, setText } from "../shell/dom.js";
import { percent, short, steady } from "../shell/format.js";
import { normsApart } from "../state/norms.js";
import { createTextNote } from "../shell/help.js";

const COLUMNS = [
  { key: "updates", title: "updates", long: "changes of the hypothesis so far" },
  { key: "bound", title: "at most", long: "PUMMA's Theorem 2: 2(p − 1)R²/(δγ)² updates, R the largest p-norm of a row, γ the largest margin" },
  { key: "mistakes", title: "mistakes", long: "wrong predictions so far" },
  { key: "margin", title: "margin", long: "smallest geometric margin of the training examples; with a soft margin, in the space with its extra features" },
  { key: "share", title: "of largest", long: "margin, as a share of the largest" },
];
const LONG = 1e9; // larger counts are written as powers of ten
const HELP = [
  "Updates are changes of the hypothesis, mistakes are wrong predictions. Every learner also updates when a margin is too small.",
  "“At most” is the bound of PUMMA's Theorem 2 on its updates, for the largest margin, with the constant as printed; its proof gives twice that (hover over the number). It is vacuous until more examples than that have been seen. For ROMMA, ALMA and MICRA we have verified no bound, and none is shown.",
];

/** @param {HTMLElement} host */
export function createCounts(host) {
  const body = h("tbody", {});
  const element = h("div", { class: "ml-counts", tabindex: "0", role: "region", "aria-label": "Updates, bound, mistakes and margins" },
    h("table", { class: "ml-table" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "learner"),
        COLUMNS.map(({ title, long }) => h("th", { scope: "col", title: long }, title)))),
      body));
  const mark = h("p", { class: "ml-note" });
  element.append(mark);
  host.append(element);
  let rows = new Map();

  /** @param {Learner[]} race */
  function build(race) {
    rows = new Map(race.map(({ key, name, color }) => {
      const cells = Object.fromEntries(COLUMNS.map((column) => [column.key,
        h("td", { "data-testid": "count", "data-method": key, "data-count": column.key })]));
      body.append(h("tr", { style: { "--ml-accent": color } },
        h("th", { scope: "row", class: "ml-method" }, h("i", { class: "ml-dot" }), name), Object.values(cells)));
      return [key, cells];
    }));
  }

  return {
    tools: createTextNote("Race", HELP),
    /** @param {RaceScene} scene */
    draw({ race }) {
      if (race.length !== rows.size || race.some(({ key }) => !rows.has(key))) {
        body.replaceChildren();
        build(race);
      }
      const norms = normsApart(race);
      setText(mark, norms.size ? `* Margins of different norms: ${race.map(({ key, name }) => `${name} ${norms.get(key)}`).join(", ")}.` : "");
      for (const learner of race) {
        const cells = rows.get(learner.key);
        write(cells.updates, learner.updates, String(learner.updates));
        write(cells.mistakes, learner.mistakes, String(learner.mistakes));
        const norm = norms.get(learner.key);
        write(cells.margin, learner.margin, norm ? `${steady(learner.margin)} *` : steady(learner.margin),
          norm ? `in units of ${norm}: not comparable with the others` : undefined);
        const share = learner.limit === null ? null : learner.margin / learner.limit;
        write(cells.share, share, shareWords(share), learner.reason || String(share));
        write(cells.bound, learner.bound, boundWords(learner), boundTitle(learner));
      }
    },
    resize() {},
    destroy: () => element.remove(),
  };
}

/** @param {number | null} share */
function shareWords(share) {
  if (share === null) return "–";
  return share < 0 ? "< 0" : percent(share);
}

/** @param {Learner} learner */
function boundWords({ bounded, bound, vacuous }) {
  if (bound === null) return bounded ? "no bound" : "–";
  const count = bound < LONG ? Math.floor(bound).toLocaleString("en") : short(bound);
  return `${count}${vacuous ? " (vacuous)" : ""}`;
}

/** @param {Learner} learner */
function boundTitle({ bounded, bound, proved, vacuous, reason }) {
  if (bound === null) return bounded ? reason : "no bound verified here";
  return `${bound} as printed, ${proved} by its proof${vacuous ? "; vacuous: more than the examples seen" : ""}`;
}

/** @param {HTMLElement} cell @param {number | null} value @param {string} text */
function write(cell, value, text, title = value === null ? "" : String(value)) {
  cell.dataset.value = value === null ? "" : String(value);
  if (cell.title !== title) cell.title = title;
  setText(cell, text);
}
