import { createNumberField } from "./number_field.js";
import { createRangeHand } from "./range_hand.js";
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
  const typed = createNumberField({ "data-param": name, "aria-describedby": errorId }, {
    legal: (wanted) => isLegal(slider, wanted),
    take: set,
    refuse: () => fail(`${slider.label}: ${slider.legal}`),
    leave() {
      fail("");
      write(slider.value);
    },
  });
  const number = typed.element;
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
  let helped = "";

  const follow = () => set(createTrack(slider).toValue(Number(range.value)));
  const hand = createRangeHand(range, { follow });

  /** @param {number} value */
  function set(value) {
    typed.drop();
    fail("");
    write(value);
    move(value);
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
    hand.show(createTrack(slider), value, field(value));
    if (!typed.typing) number.value = field(value);
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
