/** The answers and progress of a reader, stored in the browser only. */

/** @param {string} lesson */
export function createKept(lesson) {
  const place = `margin-lab lesson ${lesson}`;
  /** @type {{answers: {[step: string]: any}, seen: number}} */
  let kept = { answers: {}, seen: 0, ...read(place) };
  const taken = takenHome();
  if (taken) kept = { ...kept, answers: { ...kept.answers, ...taken } };

  return {
    /** @param {number} step */
    answer: (step) => kept.answers[step],
    /** @param {number} step @param {any} answer */
    keep(step, answer) {
      kept.answers[step] = answer;
      write(place, kept);
    },
    get seen() {
      return kept.seen;
    },
    /** @param {number} step  whose answer the reader has seen */
    pass(step) {
      kept.seen = Math.max(kept.seen, step);
      write(place, kept);
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

/** @param {string} place */
function read(place) {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "{}");
  } catch {
    return {}; // a browser without storage
  }
}

/** @param {string} place @param {any} value */
function write(place, value) {
  try {
    localStorage.setItem(place, JSON.stringify(value));
  } catch {
    // A browser without storage.
  }
}
