import { h, setText } from "../shell/dom.js";
import { icon } from "../shell/icons.js";

const PER_SECOND = 12;

/**
 * Plays the frames back and forth at a steady pace, independent of the frame rate of the screen.
 * @param {() => number} now returns the current frame
 * @param {(frame: number) => void} go
 * @param {number} count
 */
export function createPlayer(now, go, count) {
  const word = h("span", {}, "Play");
  const element = h("button", { type: "button", class: "ml-button", "aria-pressed": "false", title: "Play the path back and forth", onclick: toggle }, icon("play"), word);
  let timer = 0;
  let direction = 1;
  let due = 0;

  function toggle() {
    if (!timer) start();
    else stop();
  }

  function start() {
    if (count < 2) return;
    due = performance.now();
    show(true);
    timer = requestAnimationFrame(step);
  }

  function stop() {
    cancelAnimationFrame(timer);
    timer = 0;
    show(false);
  }

  /** @param {number} time */
  function step(time) {
    if (time >= due) {
      if (now() + direction < 0 || now() + direction >= count) direction = -direction;
      go(now() + direction);
      due = Math.max(due + 1000 / PER_SECOND, time);
    }
    timer = requestAnimationFrame(step);
  }

  /** @param {boolean} playing */
  function show(playing) {
    element.setAttribute("aria-pressed", String(playing));
    element.querySelector("svg")?.replaceWith(icon(playing ? "pause" : "play"));
    setText(word, playing ? "Stop" : "Play");
  }

  return { element, stop };
}
