import { h } from "../shell/dom.js";
import { createFileMenu } from "../shell/menus.js";

/** Creates the papers' tables: published results from the start, ours beside them after the reveal. */
export function createPapers() {
  const element = h("section", { class: "ml-lecture-papers", "aria-label": "Papers' tables", "data-testid": "papers", tabindex: "0" });
  return {
    element,
    /** @param {Papers | undefined} papers @param {boolean} revealed */
    update(papers, revealed) {
      element.replaceChildren(...(papers ? [tableOf(papers, revealed), wordsOf(papers, revealed)] : []));
    },
  };
}

/** @param {Papers} papers @param {boolean} revealed */
function tableOf({ tables, rows }, revealed) {
  const titles = tables.map(({ name, what, methods }) => h("th", { scope: "colgroup", colspan: methods.length }, name, h("small", {}, what)));
  const labels = tables.flatMap(({ methods }) => methods.map((label) => h("th", { scope: "col" }, label)));
  return h("table", {},
    h("thead", {}, h("tr", {}, h("td", { rowspan: 2 }), titles), h("tr", {}, labels)),
    h("tbody", {}, rows.map(({ name, cells }) =>
      h("tr", {}, h("th", { scope: "row" }, name), cells.map((cell) => cellOf(cell, revealed))))));
}

/** @param {PaperCell | null} cell @param {boolean} revealed */
function cellOf(cell, revealed) {
  if (!cell) return h("td", {}, "–");
  const { ours, splits, printed, within } = cell;
  const own = ours ? `${ours}${within === false ? "†" : ""}` : "–";
  return h("td", { title: revealed ? `${splits} splits` : null }, h("b", {}, revealed ? own : "?"), h("span", {}, printed ?? "–"));
}

/** @param {Papers} papers @param {boolean} revealed */
function wordsOf({ head, marks, tables, met, files }, revealed) {
  if (!revealed) return h("div", {}, h("p", {}, "The published results; ours follow."));
  return h("div", {},
    h("p", {}, head), h("p", {}, marks),
    tables.filter(({ higher }) => higher).map(({ name, higher }) => h("p", {}, `${name}: ${higher}`)),
    h("h2", {}, "Our means within two published standard deviations"),
    h("ul", {}, met.map(({ title, source, met: count, of }) => h("li", { title: source }, h("b", {}, `${count} of ${of}`), ` of the ${title} paper`))),
    files.length ? createFileMenu("Export the tables", files) : null);
}
