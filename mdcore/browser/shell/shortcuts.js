import { createPopover } from "./a11y.js";
import { h } from "./dom.js";

/** @import { ControlWidget } from "../controls/controls.js" */

const WRITING = "textarea, select, input:not([type=range], [type=checkbox])";

/** The Latin letters that find Greek parameters. */
/** @type {{[sign: string]: string}} */
const LETTERS = { λ: "l", θ: "t", μ: "m", α: "a", β: "b", γ: "g", δ: "d", ν: "n", ε: "e", σ: "s" };
/** @param {ControlWidget} slider */
const letterOf = ({ control }) => LETTERS[control.symbol[0]] ?? control.symbol[0].toLowerCase();

/**
 * Adds the keyboard shortcuts, and the "?" that lists them.
 * @param {{key: string, shown: string, words: string, run: () => void}[]} actions  each with a letter that no parameter has
 * @param {() => ControlWidget[]} sliders  of the methods shown, in their order
 * @param {(number: number) => void} toggleMethod
 * @param {HTMLElement} root
 */
export function createShortcuts(root, actions, sliders, toggleMethod) {
  const button = h("button", { type: "button", class: "ml-button", "aria-label": "Keys", title: "Keys (?)" }, "?");
  const panel = h("div", { role: "dialog", "aria-label": "Keys", class: "ml-keys" }, h("strong", {}, "Keys"),
    h("dl", {}, [
      ["1 … 9", "switch a method on or off, in the order of the buttons"],
      ["C, L, A, B, M, T …", "go to a parameter by its letter (λ is L, θ is T), again for the next one; then use the arrow keys"],
      ...actions.map(({ shown, words }) => [shown, words]),
      ["double click", "make a panel fill the stage; Escape goes back"],
      ["Ctrl+Z", "undo"],
    ].flatMap(([key, words]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)])));
  createPopover(button, panel);

  /** Focuses the next slider of that letter after the active one. @param {string} letter */
  function focusSlider(letter) {
    const found = sliders().filter((slider) => slider.track && letterOf(slider) === letter);
    if (!found.length) return false;
    const at = found.findIndex(({ element }) => element.contains(document.activeElement));
    found[(at + 1) % found.length].element.querySelector("input")?.focus();
    return true;
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !root.isConnected) return;
    const target = event.target instanceof Element ? event.target : null;
    if (target?.matches(WRITING) || target?.closest("[popover]")) return;
    const key = event.key.toLowerCase();
    const action = actions.find((one) => one.key === key);
    if (action && !(key === " " && target?.matches("button, summary, a, canvas, [type=checkbox]"))) action.run();
    else if (key === "?") button.click();
    else if (/^[1-9]$/.test(key)) toggleMethod(Number(key) - 1);
    else if (!/^[a-z]$/.test(key) || !focusSlider(key)) return;
    event.preventDefault();
  }
  document.addEventListener("keydown", press);

  return {
    element: h("span", { class: "ml-group" }, button, panel),
    destroy: () => document.removeEventListener("keydown", press),
  };
}
