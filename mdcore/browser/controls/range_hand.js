import { setAttribute } from "../shell/dom.js";
import { createHorizontalDrag } from "../shell/horizontal_drag.js";

/** @import { Track } from "../state/track.js" */

/**
 * Handles changes of a slider: a press is followed once it is clear that it is meant, and ends wherever it is released.
 * @param {HTMLInputElement} range
 * @param {{follow: () => void, begin?: () => void, end?: () => void}} events
 */
export function createRangeHand(range, { follow, begin, end }) {
  const press = createHorizontalDrag();
  let held = false;

  const followNow = () => {
    press.end();
    follow();
  };
  const lift = () => {
    if (press.waits) followNow();
    release();
  };
  const release = () => {
    window.removeEventListener("pointerup", lift);
    window.removeEventListener("pointercancel", release);
    press.end();
    held = false;
    end?.();
  };

  range.addEventListener("pointerdown", (event) => {
    press.begin(event);
    held = true;
    begin?.();
    window.addEventListener("pointerup", lift);
    window.addEventListener("pointercancel", release);
  });
  range.addEventListener("input", () => press.waits || follow());
  range.addEventListener("pointermove", (event) => press.waits && press.follows(event) && followNow());

  return {
    get held() {
      return held;
    },
    /** Shows a value, unless the slider is held. @param {Track} track @param {number} value @param {string} words */
    show(track, value, words) {
      const position = track.toPosition(value);
      if (!held) range.value = String(position);
      range.style.setProperty("--ml-fill", `${((position - track.min) / (track.max - track.min)) * 100}%`);
      setAttribute(range, "aria-valuetext", words);
    },
  };
}
