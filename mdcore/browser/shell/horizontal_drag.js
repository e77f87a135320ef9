/**
 * A press that drags something sideways. A mouse press counts at once. A finger may want to scroll the page, in which case
 * the browser cancels the press, so a touch counts only once it has moved sideways.
 */
export function createHorizontalDrag() {
  /** @type {{x: number, y: number} | null} */
  let from = null;
  return {
    get waits() {
      return from !== null;
    },
    /** @param {PointerEvent} event */
    begin(event) {
      from = event.pointerType === "touch" ? { x: event.clientX, y: event.clientY } : null;
    },
    /** Returns whether to follow the press to its new position. @param {PointerEvent} event */
    follows(event) {
      if (from && Math.abs(event.clientX - from.x) > Math.abs(event.clientY - from.y)) from = null;
      return from === null;
    },
    end: () => (from = null),
  };
}
