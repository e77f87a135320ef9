import { h } from "../shell/dom.js";
import { icon } from "../shell/icons.js";
import { formatQuery, recipe } from "./query.js";

const SLOTS = ["view.pin1", "view.pin2", "view.pin3"];

/**
 * Creates pins: up to three states for comparison, to add, revisit and remove.
 * @param {Stage} stage @param {(query: string) => void} go
 */
export function createPins(stage, go) {
  const list = h("span", { class: "ml-pins", role: "list", "aria-label": "Pinned states" });
  const button = h("button", { type: "button", class: "ml-button ml-pin-state", onclick: pin }, icon("pin"), h("span", { class: "ml-word" }, "Pin"));
  let shape = "";

  function pin() {
    const free = SLOTS.find((slot) => !stage.map.has(slot));
    if (!free) {
      stage.remark("Three states are pinned already; remove one first.");
      return;
    }
    stage.change({ [free]: formatQuery(recipe(stage.map)) }, { commit: true });
    stage.announce("Pinned.");
  }

  /** @param {Pin} pin */
  function createChip({ slot, label, query }) {
    const number = slot.slice(-1);
    return h("span", { class: "ml-pin", role: "listitem", "data-pin": number },
      h("button", { type: "button", class: "ml-pin-go", title: `Back to pin ${number}: ${label}`, onclick: () => go(query) },
        h("b", {}, number), label),
      h("button", {
        type: "button", class: "ml-pin-drop", "aria-label": `Remove pin ${number}`, title: "Remove",
        onclick: () => stage.change({ [slot]: null }, { commit: true }),
      }, "×"));
  }

  return {
    button,
    list,
    pin,
    /** @param {Scene} scene */
    update(scene) {
      const next = scene.pins.map(({ slot, label }) => `${slot} ${label}`).join("|");
      if (next !== shape) list.replaceChildren(...scene.pins.map(createChip));
      list.hidden = scene.pins.length === 0;
      shape = next;
      const full = SLOTS.every((slot) => stage.map.has(slot));
      button.setAttribute("aria-disabled", String(full));
      button.title = full ? "Three states are pinned: remove one first" : "Keep this state as a ghost and show differences from it";
    },
  };
}
