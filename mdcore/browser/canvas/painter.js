/**
 * Draws at most once per frame of the screen, and combines the requests in between.
 * @param {(resized: boolean) => void} paint
 */
export function createPainter(paint) {
  let frame = 0;
  let resized = false;

  function run() {
    frame = 0;
    const size = resized;
    resized = false;
    paint(size);
  }
  function ask() {
    frame ||= requestAnimationFrame(run);
  }
  const observer = new ResizeObserver(() => {
    resized = true;
    ask();
  });

  return {
    ask,
    /** Draws at once, so that the coming frame shows the picture, not the frame after it. */
    now() {
      cancelAnimationFrame(frame);
      run();
    },
    askResize() {
      resized = true;
      ask();
    },
    /**
     * Redraws the views when a host is resized, with one observer for all of them.
     * @param {HTMLElement} host
     * @returns {() => void} to call when the view is removed
     */
    watch(host) {
      observer.observe(host);
      return () => observer.unobserve(host);
    },
    stop() {
      cancelAnimationFrame(frame);
      observer.disconnect();
    },
  };
}
