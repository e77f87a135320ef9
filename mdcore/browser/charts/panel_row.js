/** Boundary panels side by side, each under the name of its method: those of a lecture, of a saved path, of a phone. */

import { createBoundary } from "./boundary.js";
import { h, setAttribute, setText } from "../shell/dom.js";
import { plural } from "../shell/format.js";
import { wordInk } from "../shell/theme.js";

const UNDONE = new Set(["unconverged", "overbudget"]);

/**
 * @param {ViewStage} stage
 * @param {string} name  of the class of a panel
 * @param {(host: HTMLElement) => () => void} watch
 * @param {(method: string) => Element | null} note  beside the name of a method
 */
export function createPanelRow(stage, name, watch, note = () => null) {
  const element = h("div", { class: `${name}s` });
  /** @type {Map<string, ReturnType<typeof createPanel>>} */
  let panels = new Map();

  /** @param {string} key */
  function createPanel(key) {
    const host = h("div", { class: "ml-view ml-boundary", "data-testid": "boundary", "data-method": key });
    const title = h("h2", {});
    const section = h("section", { class: name }, h("header", {}, title, note(key)), h("div", { class: "ml-view-frame" }, host));
    return { title, section, view: createBoundary(host, stage, key), unwatch: watch(host) };
  }

  return {
    element,
    get views() {
      return [...panels.values()].map(({ view }) => view);
    },

    /** Shows these methods; panels that stay keep their canvases. @param {string[]} methods */
    arrange(methods) {
      if (methods.join() === [...panels.keys()].join()) return;
      for (const [key, { view, unwatch }] of panels) {
        if (methods.includes(key)) continue;
        unwatch();
        view.destroy();
      }
      panels = new Map(methods.map((key) => [key, panels.get(key) ?? createPanel(key)]));
      element.replaceChildren(...[...panels.values()].map(({ section }) => section));
    },

    /** Writes the names, coloured as the methods, and what there is to say about the fits. @param {Scene | null} scene */
    tell(scene) {
      for (const { key, name: method, color, status, badge, message } of scene?.panels ?? []) {
        const panel = panels.get(key);
        if (!panel) continue;
        const fact = status === "failed" ? message : badge?.updates !== undefined ? plural(badge.updates, "update") : UNDONE.has(status) && "not converged";
        setText(panel.title, [method, fact].filter(Boolean).join(" · "));
        setAttribute(panel.section, "aria-label", method);
        panel.title.style.color = wordInk(color, stage.theme);
      }
    },
  };
}
