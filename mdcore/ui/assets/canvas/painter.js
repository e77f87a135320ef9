/**
 * Drawing, at most once per frame of the screen: whatever is asked in between is drawn together.
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
    /** Draws without waiting for the next frame: it then shows the picture, and not the one after it. */
    now() {
      cancelAnimationFrame(frame);
      run();
    },
    askResize() {
      resized = true;
      ask();
    },
    /**
     * @param {HTMLElement} host
     * One observer for all views. @returns {() => void} to be called when the view goes
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
