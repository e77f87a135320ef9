/**
 * A server that has gone. Streamlit connects again by itself, and asks for nothing: the stage does, as soon as the server
 * answers, and has the page loaded anew where that is in vain.
 */

const LOOK = 2000; // milliseconds between two looks
const GRACE = 8000; // for an answer, once the server is there again

/**
 * @param {{onLost: () => void, onBack: () => void, onVain: () => void, isBusy: () => boolean}} events
 * @param {() => Promise<boolean>} isThere
 */
export function createLostServer({ onLost, onBack, onVain, isBusy }, isThere = askHealth) {
  let looking = false;
  let lost = false;
  /** @type {number | undefined} */
  let timer;

  async function look() {
    const there = await isThere();
    if (!looking) return;
    if (!there && !lost) onLost();
    if (there && lost) {
      looking = lost = false;
      onBack();
      timer = setTimeout(() => isBusy() && onVain(), GRACE);
      return;
    }
    lost ||= !there;
    if (lost || isBusy()) timer = setTimeout(look, LOOK);
    else looking = false;
  }

  return {
    /** An answer is late: is the server there at all? */
    look() {
      if (looking) return;
      looking = true;
      look();
    },
    stop() {
      looking = false;
      clearTimeout(timer);
    },
  };
}

/** Whether the server answers. */
async function askHealth() {
  try {
    return (await fetch("healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
