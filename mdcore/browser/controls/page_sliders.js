import { watchAppearance } from "../shell/appearance.js";
import { h } from "../shell/dom.js";
import { createFlow } from "../state/flow.js";
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
  let version = 0;
  const nothing = () => {};
  const flow = createFlow((request) => tell("asked", request), { onBusy: nothing, onStale: nothing, onSilent: nothing });

  /** @param {string} name @param {number | null} value */
  function move(name, value) {
    values = moved(sliders, values, name, value);
    flow.request({ query: asQuery(values), version: (version += 1) });
  }

  return {
    /** @param {SlidersMessage} message @param {Setters["setStateValue"]} setStateValue */
    receive(message, setStateValue) {
      tell = setStateValue;
      sliders = message.sliders;
      flow.settle(message.id, message.run);
      if (!flow.busy) values = setValues(sliders);
      if (sliders.some(({ name }) => !rows.has(name))) {
        for (const { name } of sliders) rows.set(name, createPageSlider(name, (value) => move(name, value)));
        root.append(...sliders.map(({ name }) => rows.get(name)?.element ?? ""));
      }
      // Sliders with a pending request stay where the user has put them.
      for (const slider of sliders) rows.get(slider.name)?.show(slider, flow.busy && slider.name in values);
    },
    stop: flow.stop,
  };
}
