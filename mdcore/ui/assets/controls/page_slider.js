import { createRangeHand } from "./range_hand.js";
import { takeCommas } from "../shell/decimal_comma.js";
import { h, setAttribute, setText, uniqueId } from "../shell/dom.js";
import { field } from "../shell/format.js";
import { createNote } from "../shell/help.js";
import { createTrack, isLegal } from "../state/track.js";

/** @import { PageSlider } from "../state/slider_values.js" */

/**
 * Creates a slider that reports its value while it is dragged, with a number field.
 * @param {string} name @param {(value: number | null) => void} move  null restores the value that Python chooses
 */
export function createPageSlider(name, move) {
  const [noteId, errorId] = [uniqueId("ml-note"), uniqueId("ml-error")];
  const range = h("input", { type: "range", class: "ml-range", "data-param": name, "aria-describedby": noteId });
  const number = h("input", {
    type: "number", class: "ml-number", "data-param": name, step: "any", autocomplete: "off", inputmode: "decimal",
    "aria-describedby": errorId,
  });
  const label = h("span", { class: "ml-page-label" });
  const help = h("span", { class: "ml-help-slot" });
  const error = h("span", { class: "ml-error-text", id: errorId, hidden: true });
  const note = h("span", { id: noteId });
  const back = h("button", { type: "button", class: "ml-button", hidden: true, onclick: () => move(null) });
  const element = h("div", { class: "ml-page-slider" },
    h("div", { class: "ml-page-head" }, label, help),
    h("span", { class: "ml-slider" }, range), number, error,
    h("div", { class: "ml-page-note" }, note, back));
  /** @type {PageSlider} */
  let slider;
  let typing = false;
  let helped = "";
  const hand = createRangeHand(range, { follow });

  function follow() {
    leave();
    const value = createTrack(slider).toValue(Number(range.value));
    write(value);
    move(value);
  }

  range.addEventListener("input", () => hand.waits || follow());

  takeCommas(number);
  number.addEventListener("input", () => (typing = true));
  number.addEventListener("change", accept);
  number.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    leave();
    write(slider.value);
  });

  function accept() {
    if (!typing) return;
    const wanted = number.value.trim() === "" ? NaN : Number(number.value);
    if (!isLegal(slider, wanted)) {
      fail(`${slider.label}: ${slider.legal}`);
      return;
    }
    leave();
    write(wanted);
    move(wanted);
  }

  function leave() {
    typing = false;
    fail("");
  }

  /** @param {string} message */
  function fail(message) {
    error.hidden = !message;
    setText(error, message);
    setAttribute(number, "aria-invalid", String(Boolean(message)));
    element.classList.toggle("ml-invalid", Boolean(message));
  }

  /** @param {number} value */
  function write(value) {
    const track = createTrack(slider);
    const position = track.toPosition(value);
    if (!hand.held) range.value = String(position);
    range.style.setProperty("--ml-fill", `${((position - track.min) / (track.max - track.min)) * 100}%`);
    setAttribute(range, "aria-valuetext", field(value));
    if (!typing) number.value = field(value);
    number.title = String(value);
  }

  return {
    element,
    /** @param {PageSlider} given @param {boolean} asking  whether its own value is on its way to Python */
    show(given, asking) {
      slider = given;
      const { min, max, step } = createTrack(slider);
      setAttribute(range, "min", String(min));
      setAttribute(range, "max", String(max));
      setAttribute(range, "step", String(step));
      setText(label, slider.label);
      setAttribute(range, "aria-label", slider.label);
      setAttribute(number, "aria-label", `${slider.label}, value`);
      if (helped !== slider.label + slider.help) {
        helped = slider.label + slider.help;
        help.replaceChildren(createNote(slider.label, h("p", {}, slider.help), h("p", {}, slider.legal)));
      }
      setText(note, slider.note);
      setText(back, slider.back);
      back.hidden = !slider.back;
      if (!asking && !hand.held) write(slider.value);
    },
  };
}
