import { h, setText } from "./dom.js";
import { createNote } from "./help.js";

/**
 * @import { MadeChart } from "../charts/charts.js"
 * @import { Child } from "./dom.js"
 *
 * @typedef {object} Parts
 * @property {HTMLElement} root
 * @property {HTMLDetailsElement} data
 * @property {{before: HTMLElement[], after: HTMLElement}} beside  the data
 * @property {HTMLElement} panels
 * @property {HTMLElement} pins
 * @property {HTMLElement} table
 *
 * @typedef {Omit<MadeChart, "parts" | "view"> & {tools: Child[]}} PlacedChart
 */

/** Below this width of the stage the data column is a drawer; above, it is beside the picture. */
const WIDE = 900;
const LEAST_HEIGHT = 560;
const BELOW = 8;

/** Arranges the parts of the stage; CSS sets the sizes. @param {Parts} parts */
export function createLayout({ root, data, beside, panels, pins, table }) {
  const legend = h("div", { class: "ml-legend-slot" });
  const legendLine = h("div", { class: "ml-legend-line" }, legend, pins);
  const leftOut = h("p", { class: "ml-left-out", hidden: true });
  const views = h("div", { class: "ml-views" }, panels, h("div", { class: "ml-numbers" }, table, legendLine, leftOut));
  const main = h("div", { class: "ml-main" }, views);
  root.append(h("div", { class: "ml-frame" }, h("div", { class: "ml-side" }, beside.before, data, beside.after), main), h("p", { class: "ml-waiting" }, "computing …"));
  /** @type {boolean | null} */
  let wide = null;

  /**
   * The data column on narrow screens: a drawer, closed by Escape and by a press beside it.
   * @param {KeyboardEvent | PointerEvent} event
   */
  function close(event) {
    const target = event.target instanceof Element ? event.target : null;
    const pressed = !(event instanceof KeyboardEvent) && !data.contains(target) && !target?.closest(".ml-data-button");
    const escaped = event instanceof KeyboardEvent && event.key === "Escape" && !event.defaultPrevented;
    if (wide || !data.open || !(pressed || escaped)) return;
    if (pressed && !root.classList.contains("ml-projector")) return; // on a phone the column is part of the page
    data.open = false;
  }
  document.addEventListener("keydown", close);
  document.addEventListener("pointerdown", close);

  /** Makes one panel fill the space; a second call, or Escape, shows all panels again. @param {string} [key] */
  function fill(key) {
    const alone = views.dataset.alone === key ? null : key ?? null;
    if (alone === null) delete views.dataset.alone;
    else views.dataset.alone = alone;
    for (const view of /** @type {NodeListOf<HTMLElement>} */ (panels.querySelectorAll("[data-testid=boundary]"))) {
      view.closest(".ml-panel")?.classList.toggle("ml-alone", view.dataset.method === alone);
    }
  }

  /** @param {KeyboardEvent} event */
  function unfill(event) {
    if (event.key === "Escape" && "alone" in views.dataset) fill(views.dataset.alone);
  }
  document.addEventListener("keydown", unfill);

  return {
    fill,
    legend,
    views,

    /**
     * Places the charts of the page between the panels and the table; its style sheet has a grid area for each by name.
     * @param {PlacedChart[]} charts
     */
    furnish(charts) {
      panels.after(...charts.map(({ name, title, help, host, tools }) =>
        h("section", { class: "ml-chart", "data-chart": name, "aria-label": title, style: { "--ml-area": name } },
          h("div", { class: "ml-chart-head" },
            h("h2", {}, title), h("span", { class: "ml-group" }, tools, help ? createNote(title, h("p", {}, help)) : null)),
          h("div", { class: "ml-view-frame" }, host))));
    },

    /**
     * Hides charts that have nothing to draw; a line below the others says which, and why.
     * @param {Set<string>} names @param {string} words
     * @returns {boolean} whether the set of visible charts has changed
     */
    leaveOut(names, words) {
      leftOut.hidden = !words;
      setText(leftOut, words);
      const sections = /** @type {NodeListOf<HTMLElement>} */ (views.querySelectorAll(".ml-chart"));
      const moved = [...sections].filter((section) => section.hidden !== names.has(section.dataset.chart ?? ""));
      for (const section of moved) section.hidden = !section.hidden;
      return moved.length > 0;
    },

    place: (/** @type {HTMLElement[]} */ ...bars) => main.prepend(...bars),

    /** Reserves space for panels with rows of sliders under each. @param {number} count @param {number} sliders */
    arrange(count, sliders) {
      if ("alone" in views.dataset && !panels.querySelector(".ml-alone")) delete views.dataset.alone;
      views.dataset.count = String(count);
      views.style.setProperty("--ml-slider-rows", String(sliders));
    },

    /** Makes the stage fill the window below its top. */
    fit() {
      const top = root.getBoundingClientRect().top + window.scrollY;
      const height = Math.max(LEAST_HEIGHT, window.innerHeight - top - BELOW);
      root.style.setProperty("--ml-height", `${height}px`);
      const now = root.clientWidth >= WIDE && !root.classList.contains("ml-projector");
      if (now !== wide) data.open = now;
      wide = now;
    },

    /** @param {HTMLElement} button */
    toggleData(button) {
      data.open = !data.open;
      button.setAttribute("aria-expanded", String(data.open));
    },

    destroy() {
      document.removeEventListener("keydown", close);
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("keydown", unfill);
    },
  };
}
