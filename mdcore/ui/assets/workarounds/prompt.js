/**
 * Calls `work` with timeouts of 0 ms replaced by microtasks.
 *
 * Streamlit sends the values of a component from such a timeout. After a key press or a drag the browser delays these
 * timeouts until the next frame is painted, which wastes up to 17 ms.
 * @param {() => void} work
 */
export function promptly(work) {
  const { setTimeout } = window;
  window.setTimeout = (callback, delay, ...rest) => {
    if (delay !== 0 || typeof callback !== "function") return setTimeout(callback, delay, ...rest);
    queueMicrotask(() => callback(...rest));
    return 0;
  };
  try {
    work();
  } finally {
    window.setTimeout = setTimeout;
  }
}
