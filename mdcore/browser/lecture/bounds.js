import { h } from "../shell/dom.js";
import { TERMS } from "../shell/glossary.js";
import { createWordNote } from "../shell/help.js";
import { short } from "../shell/format.js";

/** Creates the list of the theorems' bounds for the models on screen; bounds above 1 are marked as vacuous. */
export function createBounds() {
  const body = h("tbody", {});
  const element = h("section", { class: "ml-lecture-bounds", "aria-label": "Bounds", "data-testid": "bounds" },
    h("header", {}, h("h2", {}, "Bounds on the error"),
      createWordNote("Bounds on the error", [["at most", TERMS.bound], ["vacuous", TERMS.vacuous], ["leave one out", TERMS["leave-one-out"]]])),
    h("table", {}, h("thead", {}, h("tr", {}, ["method", "theorem", "at most"].map((word) => h("th", { scope: "col" }, word)))), body));
  return {
    element,
    /** @param {ToldBound[]} bounds */
    update(bounds) {
      body.replaceChildren(...bounds.map(({ name, theorem, value, vacuous }) =>
        h("tr", {},
          h("th", { scope: "row" }, name),
          h("td", {}, theorem),
          h("td", { "data-value": value === null ? "" : String(value) },
            value === null ? "no number" : short(value), vacuous ? h("em", {}, " vacuous: above 1") : null))));
    },
  };
}
