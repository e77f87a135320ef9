/** The answers and progress of a reader, stored in the browser only. */

import { recall, remember } from "../state/storage.js";

/** The key of the text of the last lesson opened from a file in this tab. */
export const OWN_LESSON = "margin-lab own lesson";

/** @param {string} lesson */
export function createKept(lesson) {
  const place = `margin-lab lesson ${lesson}`;
  /** @type {{answers: {[step: string]: any}, seen: number}} */
  let kept = { answers: {}, seen: 0, ...recall("localStorage", place) };
  const taken = takenHome();
  if (taken) kept = { ...kept, answers: { ...kept.answers, ...taken } };

  return {
    /** @param {number} step */
    answer: (step) => kept.answers[step],
    /** @param {number} step @param {any} answer */
    keep(step, answer) {
      kept.answers[step] = answer;
      remember("localStorage", place, kept);
    },
    get seen() {
      return kept.seen;
    },
    /** @param {number} step  whose answer the reader has seen */
    pass(step) {
      kept.seen = Math.max(kept.seen, step);
      remember("localStorage", place, kept);
    },
  };
}

/** Returns the predictions made in a room, which the link carries after its #. */
function takenHome() {
  const found = /^#mine=([\w-]+)$/.exec(location.hash);
  if (!found) return null;
  try {
    return JSON.parse(atob(found[1].replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return null;
  }
}
