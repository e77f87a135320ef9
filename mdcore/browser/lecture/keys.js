/** The keys of a lecture, also sent by clickers, unless another element handles them. */

/** @type {{[key: string]: "next" | "back"}} */
const TURNS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back" };

/** @param {Element | null} target */
const isTaken = (target) => Boolean(target?.closest("input, select, textarea, [role=application], [role=radiogroup], [role=slider], [contenteditable]"));

/**
 * @param {HTMLElement} root
 * @param {(way: "next" | "back") => void} turn
 * @param {{[key: string]: () => void}} [actions]  by `KeyboardEvent.key`
 * @returns {() => void} stops listening
 */
export function bindKeys(root, turn, actions = {}) {
  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !root.isConnected) return;
    const act = event.key in TURNS ? () => turn(TURNS[event.key]) : actions[event.key];
    if (!act || isTaken(event.target instanceof Element ? event.target : null)) return;
    event.preventDefault();
    act();
  }
  window.addEventListener("keydown", press);
  return () => window.removeEventListener("keydown", press);
}
