import { createHorizontalDrag } from "../shell/horizontal_drag.js";

/**
 * Handles presses on a slider: a press is followed once it is clear that it is meant, and ends wherever it is released.
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
  range.addEventListener("pointermove", (event) => press.waits && press.follows(event) && followNow());

  return {
    get held() {
      return held;
    },
    /** Whether it is still open if the press is for the slider or for scrolling. */
    get waits() {
      return press.waits;
    },
  };
}
