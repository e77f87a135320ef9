/** Handles a server that cannot be reached: looks whether it is there, until it is, and then lets the request be repeated. */

const LOOK = 2000; // milliseconds between two checks
const PAUSE = 300; // milliseconds until a server that is there is asked again

/**
 * @param {{onLost: () => void, onBack: () => void, again: () => void}} events
 * @param {() => Promise<boolean>} isThere
 */
export function createLostServer({ onLost, onBack, again }, isThere = askHealth) {
  let lost = false;
  let stopped = false;
  /** @type {number | undefined} */
  let timer;

  /** Checks whether the server is up, after a request that nobody has answered. */
  async function look() {
    clearTimeout(timer);
    const there = await isThere();
    if (stopped) return;
    if (there === lost) (there ? onBack : onLost)();
    lost = !there;
    timer = setTimeout(there ? again : look, there ? PAUSE : LOOK);
  }

  return {
    look,
    stop() {
      stopped = true;
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
