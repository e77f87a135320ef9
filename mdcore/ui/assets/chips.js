import { h } from "./dom.js";

const MOST = 4;

/** Methods switched on and off with one press, one to four at a time. A method comes back with the parameters it had. */
export function createChips(stage) {
  const element = h("div", { class: "ml-chips", role: "group", "aria-label": "Methods" });
  /** @type {Map<string, Object<string, string>>} */
  const parked = new Map();
  let buttons = [];
  let order = [];

  const chosen = () => String(stage.value("methods") ?? "").split(",").filter(Boolean);

  function toggle(key) {
    const now = chosen();
    if (now.includes(key)) {
      if (now.length === 1) return stage.announce("One method stays.");
      const own = [...stage.map].filter(([name]) => name.startsWith(`${key}.`));
      parked.set(key, Object.fromEntries(own));
      const dropped = Object.fromEntries(own.map(([name]) => [name, null]));
      return stage.change({ ...dropped, methods: now.filter((one) => one !== key).join(",") }, { commit: true });
    }
    if (now.length === MOST) return stage.announce("Four methods at most; switch one off first.");
    const next = order.filter((one) => now.includes(one) || one === key);
    return stage.change({ ...parked.get(key), methods: next.join(",") }, { commit: true });
  }

  return {
    element,
    build(catalog) {
      order = catalog.methods.map(({ key }) => key);
      buttons = catalog.methods.map(({ key, name, color, summary }) => {
        const button = h("button", {
          type: "button", class: "ml-chip", "aria-pressed": "false", "data-method": key, title: summary,
          style: { "--ml-accent": color }, onclick: () => toggle(key),
        }, h("i", { class: "ml-dot" }), name);
        return { key, button };
      });
      element.replaceChildren(...buttons.map(({ button }) => button));
    },
    update() {
      const now = chosen();
      for (const { key, button } of buttons) {
        const on = now.includes(key);
        button.setAttribute("aria-pressed", String(on));
        button.setAttribute("aria-disabled", String(on ? now.length === 1 : now.length === MOST));
      }
    },
  };
}
