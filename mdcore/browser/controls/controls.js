import { createRow, nameFor } from "./control_row.js";
import { h } from "../shell/dom.js";
import { createSlider } from "./slider.js";

/**
 * @import { Track } from "../state/track.js"
 *
 * @typedef {object} ControlWidget
 * @property {string} name
 * @property {AnyControl} control
 * @property {HTMLElement} element
 * @property {() => void} update
 * @property {(message: string | null) => void} fail
 * @property {Track} [track]
 */

/**
 * Creates a control of the catalog, of any kind.
 * @param {AnyControl} control
 * @param {Stage} stage
 * @returns {ControlWidget}
 */
export function createControl(control, stage, owner = "") {
  if (control.kind === "number") return createSlider(control, stage, owner);
  return isSwitch(control) ? createSwitch(control, stage, owner) : createChoice(control, stage, owner);
}

/** @param {Choice} control */
const isSwitch = ({ options }) => options.length === 2 && options.every((option) => ["0", "1"].includes(String(option)));

/** @param {Choice} control @param {Stage} stage @param {string} owner */
function createChoice(control, stage, owner) {
  const select = h("select", {
    class: "ml-select", "data-param": control.name, "aria-label": nameFor(control, owner),
    onchange: () => stage.change({ [control.name]: select.value }, { commit: true }),
  }, control.options.map((option) => h("option", { value: option }, String(option))));
  const row = createRow(control, stage, owner, [select]);
  return {
    name: control.name, element: row.element, control, fail: row.fail,
    update() {
      const current = String(stage.value(control.name));
      if (select.value !== current) select.value = current;
      row.mark(current);
    },
  };
}

/** @param {Choice} control @param {Stage} stage @param {string} owner */
function createSwitch(control, stage, owner) {
  const box = h("input", {
    type: "checkbox", class: "ml-switch", role: "switch", "data-param": control.name, "aria-label": nameFor(control, owner),
    onchange: () => stage.change({ [control.name]: box.checked ? 1 : 0 }, { commit: true }),
  });
  const row = createRow(control, stage, owner, [box]);
  return {
    name: control.name, element: row.element, control, fail: row.fail,
    update() {
      const current = stage.value(control.name);
      box.checked = ["1", "true"].includes(String(current));
      row.mark(current);
    },
  };
}
