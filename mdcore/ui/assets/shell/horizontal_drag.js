/**
 * A press that drags sideways what lies under it. A mouse means it from the start. A finger may have come to scroll the
 * page, and then the browser cancels the press: until it has moved sideways it waits.
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
    /** Whether the press is to be followed to where it moved. @param {PointerEvent} event */
    follows(event) {
      if (from && Math.abs(event.clientX - from.x) > Math.abs(event.clientY - from.y)) from = null;
      return from === null;
    },
    end: () => (from = null),
  };
}
