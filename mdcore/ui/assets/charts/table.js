import { h, setAttribute, setText } from "../shell/dom.js";
import { short, signed, steady } from "../shell/format.js";
import { EVERY_CLASS, classWords, statsOf } from "../state/class_filter.js";

const COLUMNS = [
  { key: "mean", title: "mean", long: "mean margin" },
  { key: "variance", title: "variance", long: "variance of the margins" },
  { key: "semivariance", title: "semi-var.", long: "semi-variance: mean of the squared shortfall below the mean" },
  { key: "min", title: "min.", long: "smallest margin" },
  { key: "accuracy", title: "accuracy", long: "share of positive margins" },
];
const SPLITS = ["train", "test"];

/** Statistics of the margins: a row per method and part, with the differences from each pin. */
export function createTable() {
  const caption = h("caption", {});
  const body = h("tbody", {});
  const table = h("table", { class: "ml-table" }, caption,
    h("thead", {}, h("tr", {},
      h("th", { scope: "col" }, "method"), h("th", { scope: "col" }, h("span", { class: "ml-hidden" }, "part")),
      COLUMNS.map(({ title, long }) => h("th", { scope: "col", title: long }, title)))),
    body);
  const element = h("div", { class: "ml-table-frame", tabindex: "0", role: "region", "aria-label": "Statistics of the margins" }, table);
  let rows = [];
  let shape = "";

  function build(scene) {
    rows = [];
    body.replaceChildren();
    for (const panel of scene.panels) {
      for (const split of SPLITS) {
        const pins = scene.pins.filter((pin) => pinned(pin, panel.key));
        const cells = COLUMNS.map(({ key }) => createCell(panel.key, split, key, pins));
        const name = split === "train"
          ? h("th", { scope: "rowgroup", rowspan: SPLITS.length, class: "ml-method" }, h("i", { class: "ml-dot" }), panel.name)
          : null;
        body.append(h("tr", { class: `ml-${split}`, style: { "--ml-accent": panel.color } },
          name, h("th", { scope: "row" }, split), cells.map(({ element: cell }) => cell)));
        rows.push({ key: panel.key, split, cells });
      }
    }
  }

  return {
    element,
    /** @param {number} chosen  the class whose examples are counted, or EVERY_CLASS */
    update(scene, chosen = EVERY_CLASS) {
      const next = [...scene.panels.map(({ key, name }) => key + name), ...scene.pins.map(({ slot, query }) => slot + query)].join("|");
      if (next !== shape) build(scene);
      shape = next;
      const { train, test } = sizesOf(scene, chosen);
      setText(caption, [`Margins, ${scene.values.scale} scale`, classWords(scene, chosen), `${train} train, ${test} test`].filter(Boolean).join(" · "));
      for (const { key, split, cells } of rows) {
        const pins = scene.pins.filter((pin) => pinned(pin, key));
        const stats = statsOf(scene, scene.panels.find((panel) => panel.key === key), split, chosen);
        for (const [column, cell] of cells.entries()) {
          const name = COLUMNS[column].key;
          const bases = pins.map((pin) => (chosen < 0 ? pinned(pin, key).stats?.[split]?.[name] : null) ?? null);
          cell.update(stats?.[name] ?? null, bases);
        }
      }
    },
  };
}

function sizesOf({ arrays, split }, chosen) {
  if (chosen < 0) return split;
  const size = (part) => arrays.label.reduce((count, label, i) => count + (label === chosen && arrays.part[i] === part), 0);
  return { train: size(0), test: size(1) };
}

const pinned = (pin, key) => pin.panels.find((panel) => panel.key === key);

function createCell(method, split, stat, pins) {
  const value = h("span", { class: "ml-value" });
  const deltas = pins.map(({ slot }) => h("small", { class: "ml-delta", "data-pin": slot.slice(-1) }));
  const element = h("td", { "data-testid": "stat", "data-method": method, "data-split": split, "data-stat": stat }, value, deltas);
  return {
    element,
    update(number, bases) {
      const exact = number === null ? "" : String(number);
      if (element.dataset.value !== exact) {
        element.dataset.value = exact;
        element.title = exact;
        setText(value, steady(number));
      }
      for (const [at, base] of bases.entries()) {
        const known = number !== null && base !== null;
        setText(deltas[at], known ? signed(number - base) : "–");
        setAttribute(deltas[at], "title", known ? `${short(number - base, 6)} from pin ${deltas[at].dataset.pin} (${base})` : "");
      }
    },
  };
}
