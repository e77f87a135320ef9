import { watchAppearance } from "../shell/appearance.js";
import { h } from "../shell/dom.js";
import { asQuery, moved, setValues } from "../state/slider_values.js";
import { createPageSlider } from "./page_slider.js";

/**
 * @import { PageSlider, SetValues } from "../state/slider_values.js"
 *
 * @typedef {{id: number, run: string, sliders: PageSlider[]}} SlidersMessage  `id` is that of the answered request
 */

/**
 * Creates sliders side by side. One request is in flight at a time; the latest change meanwhile is requested next.
 * @param {HTMLElement} parent
 */
export function createPageSliders(parent) {
  const root = h("div", { class: "ml-stage ml-page-sliders", "data-testid": "page-sliders" });
  parent.append(root);
  const appearance = watchAppearance(root, () => {});
  appearance.check();
  /** @type {Map<string, ReturnType<typeof createPageSlider>>} */
  const rows = new Map();
  /** @type {PageSlider[]} */
  let sliders = [];
  /** @type {SetValues} */
  let values = {};
  /** @type {Setters["setStateValue"]} */
  let tell;
  let lastId = Date.now(); // larger than any id of an earlier visit
  /** The request on its way to the page. @type {{id: number, query: string} | null} */
  let asked = null;
  let changed = false;
  let run = "";

  function ask() {
    changed = false;
    asked = { id: (lastId += 1), query: asQuery(values) };
    tell("asked", asked);
  }

  /** @param {string} name @param {number | null} value */
  function move(name, value) {
    values = moved(sliders, values, name, value);
    changed = true;
    if (!asked) ask();
  }

  return {
    /** @param {SlidersMessage} message @param {Setters["setStateValue"]} setStateValue */
    receive(message, setStateValue) {
      tell = setStateValue;
      sliders = message.sliders;
      const dropped = message.run !== run; // Streamlit drops what it has not begun when it runs the whole page again
      run = message.run;
      if (message.id === asked?.id) asked = null;
      if (asked ? dropped : changed) ask();
      if (!asked) values = setValues(sliders);
      if (sliders.some(({ name }) => !rows.has(name))) {
        for (const { name } of sliders) rows.set(name, createPageSlider(name, (value) => move(name, value)));
        root.append(...sliders.map(({ name }) => rows.get(name)?.element ?? ""));
      }
      // Sliders with a pending request stay where the user has put them.
      for (const slider of sliders) rows.get(slider.name)?.show(slider, asked !== null && slider.name in values);
    },
  };
}
