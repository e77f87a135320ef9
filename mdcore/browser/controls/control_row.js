import { h, setAttribute, setText, uniqueId } from "../shell/dom.js";
import { short } from "../shell/format.js";
import { createHelp } from "../shell/help.js";
import { icon } from "../shell/icons.js";

/** Returns the accessible name of a control: its symbol and its name. @param {AnyControl} control @param {string} owner */
export const nameFor = (control, owner) => {
  const plain = control.name.split(".").at(-1);
  const name = plain === control.symbol ? plain : `${control.symbol} (${plain})`;
  return owner ? `${owner} ${name}` : name;
};

/**
 * Creates the common parts of all controls: symbol, help, a reset button, and a line for errors.
 * @param {AnyControl} control @param {Stage} stage @param {string} owner @param {Node[]} inputs
 * @param {{element: Element} | null} [words]
 */
export function createRow(control, stage, owner, inputs, words = null) {
  const text = h("span", { class: "ml-error-text", id: uniqueId("ml-error"), hidden: true });
  const back = h("button", {
    type: "button", class: "ml-reset", "aria-label": `${nameFor(control, owner)}: back to ${short(control.default)}`,
    title: `Default: ${short(control.default)}`, onclick: reset,
  }, icon("reset"));
  const element = h("div", { class: `ml-control ml-${control.kind}` },
    h("span", { class: "ml-symbol", title: control.help }, control.symbol),
    inputs, back, createHelp(control, owner), words?.element ?? null, text);
  for (const input of element.querySelectorAll("input, select")) input.setAttribute("aria-describedby", text.id);

  function reset() {
    fail(null);
    stage.change({ [control.name]: null }, { commit: true });
  }

  /** @param {string | null} message */
  function fail(message) {
    text.hidden = !message;
    setText(text, message ?? "");
    element.classList.toggle("ml-invalid", Boolean(message));
    for (const input of element.querySelectorAll("input")) setAttribute(input, "aria-invalid", String(Boolean(message)));
    if (message) element.closest("details:not([open])")?.setAttribute("open", "");
  }

  return {
    element, reset, fail,
    /** @param {unknown} current */
    mark: (current) => back.classList.toggle("ml-away", String(current) !== String(control.default)),
  };
}
