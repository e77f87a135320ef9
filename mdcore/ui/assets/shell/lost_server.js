/**
 * Handles a lost server. Streamlit reconnects but sends no requests, so the stage repeats its request as soon as the
 * server answers, and reloads the page if that fails.
 */

const LOOK = 2000; // milliseconds between two checks
const GRACE = 8000; // milliseconds to wait for an answer once the server is back

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
    /** Checks whether the server is up, when an answer is late. */
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

/** Returns whether the server answers. */
async function askHealth() {
  try {
    return (await fetch("healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
