import { createPopover } from "./a11y.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

const MOST = 4;
const FULL = "At most four methods: switch one off first.";
const LAST = "At least one method must stay on.";

/**
 * Creates chips that switch methods on and off, one to four at a time. A method returns with its previous parameters.
 * @param {Stage} stage
 */
export function createChips(stage) {
  const row = h("span", { class: "ml-chips" });
  const button = h("button", { type: "button", class: "ml-button ml-add-method" }, icon("add"), "Method");
  const list = h("div", { role: "dialog", "aria-label": "Further methods", class: "ml-methods" });
  createPopover(button, list);
  const element = h("div", { class: "ml-chips", role: "group", "aria-label": "Methods" }, row, button, list);
  /** @type {Map<string, Object<string, string>>} */
  const parked = new Map();
  const why = h("p", { class: "ml-why", hidden: true }, FULL);
  /** @type {{key: string, summary: string, chip: HTMLElement, item: HTMLElement}[]} */
  let methods = [];
  let inView = 0;

  const chosen = () => String(stage.value("methods") ?? "").split(",").filter(Boolean);

  /** @param {string} key */
  function toggle(key) {
    const now = chosen();
    if (now.includes(key)) {
      if (now.length === 1) return stage.remark(LAST);
      const own = [...stage.map].filter(([name]) => name.startsWith(`${key}.`));
      parked.set(key, Object.fromEntries(own));
      const dropped = Object.fromEntries(own.map(([name]) => [name, null]));
      return stage.change({ ...dropped, methods: now.filter((one) => one !== key).join(",") }, { commit: true });
    }
    if (now.length === MOST) return stage.remark(FULL);
    const next = methods.map((method) => method.key).filter((one) => now.includes(one) || one === key);
    return stage.change({ ...parked.get(key), methods: next.join(",") }, { commit: true });
  }

  /** @param {Method} method */
  function createChip({ key, name, color }) {
    return h("button", {
      type: "button", class: "ml-chip", "aria-pressed": "false", "data-method": key,
      style: { "--ml-accent": color }, onclick: () => toggle(key),
    }, h("i", { class: "ml-dot" }), name);
  }

  /** @param {Method} method */
  function createItem({ key, name, color, summary }) {
    return h("button", {
      type: "button", class: "ml-item", "data-method": key, style: { "--ml-accent": color },
      onclick: () => {
        list.hidePopover();
        button.focus();
        toggle(key);
      },
    }, h("i", { class: "ml-dot" }), h("b", {}, name), h("small", {}, summary));
  }

  return {
    element,
    /** Acts like a press on the visible button at a position. @param {number} at */
    press(at) {
      const shown = methods.filter(({ chip }) => !chip.hidden)[at];
      if (shown) toggle(shown.key);
    },

    /**
     * @param {number} count  of chips that are always shown; the others are in the menu
     * @param {Method[]} offered
     */
    build(offered, count) {
      inView = count;
      methods = offered.map((method) => ({ key: method.key, summary: method.summary, chip: createChip(method), item: createItem(method) }));
      row.replaceChildren(...methods.map(({ chip }) => chip));
      list.replaceChildren(why, ...methods.map(({ item }) => item));
    },
    update() {
      const now = chosen();
      const full = now.length === MOST;
      why.hidden = !full;
      methods.forEach(({ key, summary, chip, item }, at) => {
        const on = now.includes(key);
        const barred = on ? now.length === 1 && LAST : full && FULL;
        chip.title = barred || summary;
        chip.setAttribute("aria-pressed", String(on));
        chip.setAttribute("aria-disabled", String(Boolean(barred)));
        item.setAttribute("aria-disabled", String(full));
        chip.hidden = !on && (stage.projector || at >= inView);
        item.hidden = !chip.hidden;
      });
      button.hidden = methods.every(({ item }) => item.hidden);
      button.title = full ? FULL : "Further methods";
    },
  };
}
