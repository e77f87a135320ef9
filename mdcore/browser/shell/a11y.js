import { h, setText } from "./dom.js";
import { spoken } from "./words.js";
import { clamp } from "../state/track.js";

/** @type {{[key: string]: number}} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * Creates a polite live region. A repeated text is announced again; of two texts in one frame, the later one is.
 * @param {HTMLElement} root
 */
export function createAnnouncer(root) {
  const region = h("div", { class: "ml-hidden", role: "status", "aria-live": "polite" });
  root.append(region);
  return (/** @type {string} */ text) => {
    region.textContent = "";
    requestAnimationFrame(() => setText(region, spoken(text)));
  };
}

/**
 * Creates a group of buttons of which one is selected: one tab stop, and arrow keys move and select.
 * @param {string} label
 * @param {{value: string, label: string, content: Node | string, title?: string}[]} options
 * @param {(value: string) => void} choose
 * @returns {{element: HTMLElement, show(value: string): void, enable(test: (value: string) => boolean): void}}
 */
export function createRadioGroup(label, options, choose) {
  const buttons = options.map((option) =>
    h("button", {
      type: "button", class: "ml-segment", role: "radio", "aria-checked": "false", tabindex: "-1",
      "aria-label": option.label, title: option.title ?? option.label, "data-value": option.value,
      onclick: () => pick(option.value),
    }, option.content));
  const element = h("div", { class: "ml-segments", role: "radiogroup", "aria-label": label, onkeydown: move }, buttons);

  /** @param {HTMLElement} button */
  const usable = (button) => button.getAttribute("aria-disabled") !== "true";

  /** @param {string} value */
  function pick(value) {
    if (buttons.some((button) => button.dataset.value === value && usable(button))) choose(value);
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const open = buttons.filter(usable);
    const at = open.findIndex((button) => button === document.activeElement);
    const next = open[(at + step + open.length) % open.length];
    next.focus();
    pick(next.dataset.value ?? "");
  }

  return {
    element,
    show(value) {
      for (const button of buttons) {
        const chosen = button.dataset.value === value;
        button.setAttribute("aria-checked", String(chosen));
        button.tabIndex = chosen ? 0 : -1;
      }
    },
    enable(test) {
      for (const button of buttons) button.setAttribute("aria-disabled", String(!test(button.dataset.value ?? "")));
    },
  };
}

/**
 * Handles Ctrl/Cmd+Z and Ctrl/Cmd+Shift+Z (or Y), except in text fields, which have their own undo.
 * @param {HTMLElement} root @param {{undo: () => void, redo: () => void}} history
 */
export function bindUndoKeys(root, { undo, redo }) {
  /** @param {KeyboardEvent} event */
  function press(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !root.isConnected) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    const target = event.target;
    const field = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target : null;
    if (field?.matches(":not([type=range], [type=checkbox])") && field.value !== field.defaultValue) return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo();
    else undo();
  }
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

/**
 * Makes a button open a panel in the top layer, so that nothing on the page moves; Escape and a press outside close it.
 * @param {HTMLElement} button @param {HTMLElement} panel
 */
export function createPopover(button, panel) {
  panel.setAttribute("popover", "auto");
  panel.classList.add("ml-popover");
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  panel.addEventListener("toggle", (event) => {
    button.setAttribute("aria-expanded", String(event.newState === "open"));
  });
  button.addEventListener("click", () => {
    panel.togglePopover({ source: button });
    if (panel.matches(":popover-open")) placeBeside(button, panel);
  });
  return panel;
}

/**
 * Places the panel below the button if there is room, else above, always inside the window.
 * @param {HTMLElement} button @param {HTMLElement} panel
 */
function placeBeside(button, panel) {
  const gap = 6;
  const anchor = button.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const left = clamp(anchor.left, gap, innerWidth - width - gap);
  const below = anchor.bottom + gap;
  const top = below + height <= innerHeight ? below : Math.max(gap, anchor.top - gap - height);
  panel.style.left = `${left}px`;
  panel.style.top = `${top}px`;
}
