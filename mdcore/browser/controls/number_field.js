import { takeCommas } from "../shell/decimal_comma.js";
import { h } from "../shell/dom.js";

/**
 * @typedef {object} NumberEvents
 * @property {(value: number) => boolean} legal
 * @property {(value: number) => void} take  called with a legal number, once it is complete
 * @property {() => void} refuse  called if what was entered is not legal
 * @property {() => void} leave  called to return to the value before
 */

/**
 * Creates a number field. What is typed counts once it is complete: on Enter, or when the field is left.
 * @param {{[attribute: string]: string}} attributes @param {NumberEvents} events
 */
export function createNumberField(attributes, { legal, take, refuse, leave }) {
  const element = h("input", {
    type: "number", class: "ml-number", step: "any", autocomplete: "off", inputmode: "decimal", ...attributes,
  });
  let typing = false;

  function accept() {
    if (!typing) return;
    const wanted = element.value.trim() === "" ? NaN : Number(element.value);
    if (!legal(wanted)) {
      refuse();
      return;
    }
    typing = false;
    take(wanted);
  }

  takeCommas(element);
  element.addEventListener("input", () => (typing = true));
  element.addEventListener("change", accept);
  element.addEventListener("blur", accept);
  element.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") accept();
    else if (key === "Escape") {
      typing = false;
      leave();
    }
  });

  return {
    element,
    /** Whether the field has a number that is not complete, or not legal. */
    get typing() {
      return typing;
    },
    /** Lets the field show the value again instead of what was typed. */
    drop: () => (typing = false),
  };
}
