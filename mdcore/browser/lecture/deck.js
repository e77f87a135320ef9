/**
 * The place of a lecture and the moves from it: ask, reveal, next step; free play belongs to the reveal.
 * @typedef {"ask" | "reveal" | "play"} Phase
 * @typedef {{step: number, phase: Phase}} Place  step counts from 1
 */

/** @param {Place} place @param {number} steps @returns {Place} */
export function onward({ step, phase }, steps) {
  if (phase === "ask") return { step, phase: "reveal" };
  return step < steps ? { step: step + 1, phase: "ask" } : { step, phase };
}

/** @param {Place} place @returns {Place} */
export function backward({ step, phase }) {
  if (phase === "play") return { step, phase: "reveal" };
  if (phase === "reveal") return { step, phase: "ask" };
  return step > 1 ? { step: step - 1, phase: "reveal" } : { step, phase };
}

/** Returns the place in a URL, clamped to the lesson. @param {string} search @param {number} steps @returns {Place} */
export function placeOf(search, steps) {
  const given = new URLSearchParams(search);
  const step = Math.max(1, Math.min(steps, Math.round(Number(given.get("step"))) || 1));
  return { step, phase: given.get("phase") === "reveal" || given.get("phase") === "play" ? "reveal" : "ask" };
}

/** Returns a URL's search part with the place in it; free play has the place of the reveal. @param {string} search @param {Place} place */
export function searchOf(search, { step, phase }) {
  const given = new URLSearchParams(search);
  given.set("step", String(step));
  if (phase === "ask") given.delete("phase");
  else given.set("phase", "reveal");
  return `?${given}`;
}
