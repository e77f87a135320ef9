/**
 * Calls `work`, whose timeouts of 0 ms become microtasks.
 *
 * Streamlit sends what a component tells it from such a timeout. After a key press or a drag the browser lets those
 * wait until the next frame is painted: up to 17 ms, in which the server could have been at work.
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
