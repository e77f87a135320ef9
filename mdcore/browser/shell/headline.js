import { h, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";

const NOTE_STAYS = 4000;

/**
 * Creates the line above the pictures, which says what changed or what went wrong, in fixed places so that nothing moves.
 * @param {() => void} retry
 */
export function createHeadline(retry) {
  const sentence = h("p", { class: "ml-sentence", "data-testid": "sentence", "aria-live": "polite" });
  const text = h("span", {});
  const again = h("button", { type: "button", class: "ml-button", hidden: true, onclick: tryAgain }, "Try again");
  const close = h("button", { type: "button", class: "ml-button", "aria-label": "Dismiss", onclick: () => clear() }, icon("clear"));
  const address = h("input", { class: "ml-address", type: "text", readonly: true, "aria-label": "URL of this state", hidden: true });
  const strip = h("div", { class: "ml-strip", role: "alert", hidden: true }, text, address, again, close);
  /** @type {number | undefined} */
  let timer;

  /** @param {string} message @param {{note?: boolean, quiet?: boolean, canRetry?: boolean, address?: string | null}} options */
  function say(message, { note = false, quiet = false, canRetry = false, address: shown = null } = {}) {
    clearTimeout(timer);
    strip.hidden = false;
    strip.classList.toggle("ml-note", note);
    setAttribute(strip, "role", quiet ? "note" : "alert");
    again.hidden = !canRetry;
    setText(text, message);
    address.hidden = shown === null;
    if (shown !== null) {
      address.value = shown;
      address.select();
    }
    if (note) timer = setTimeout(clear, NOTE_STAYS);
  }

  function tryAgain() {
    clear();
    retry();
  }

  function clear() {
    clearTimeout(timer);
    strip.hidden = true;
  }

  return {
    element: h("div", { class: "ml-headline" }, sentence, strip),
    say,
    /** Clears an error after a successful answer; a note disappears after a while. */
    recover: () => strip.hidden || strip.classList.contains("ml-note") || clear(),
    /** @param {Message} scene */
    update(scene) {
      setText(sentence, scene.sentence);
    },
    /** Makes screen readers announce the final picture only, not every picture of a drag. @param {boolean} resting */
    rest: (resting) => setAttribute(sentence, "aria-busy", String(!resting)),
  };
}
