import { h, setText } from "../shell/dom.js";
import { icon } from "../shell/icons.js";
import { clamp } from "./track.js";

/**
 * @import { ControlWidget } from "../controls/controls.js"
 * @import { Track } from "./track.js"
 *
 * @typedef {{pause: number, next: () => number | null}} Sweep
 * @typedef {ControlWidget & {owner?: string, track: Track, sweep?: () => Sweep, sweepWords?: string}} Playable
 */

const FRAME = 30;
const LINEAR_STEPS = 60;

/**
 * Plays the last slider touched, one step per drawn picture: back and forth, or through the values of its own `sweep` until
 * they end. Any key or press stops it.
 * @param {Stage} stage @param {() => Playable | undefined} findSlider
 */
export function createPlay(stage, findSlider) {
  const word = h("span", { class: "ml-word" }, "Play");
  const button = h("button", { type: "button", class: "ml-button ml-play", "aria-pressed": "false", onclick: toggle }, icon("play"), word);
  /** @type {{name: string, sweep: Sweep, at: number, timer?: number} | null} */
  let playing = null;

  function toggle() {
    if (playing) stop();
    else start();
  }

  function start() {
    const slider = findSlider();
    if (!slider) return;
    const { name } = slider;
    playing = { name, sweep: slider.sweep?.() ?? backAndForth(slider, Number(stage.value(name))), at: 0 };
    show(`Stop (${whose(slider)})`);
    document.addEventListener("keydown", interrupt, true);
    document.addEventListener("pointerdown", interrupt, true);
    advance();
  }

  function stop() {
    clearTimeout(playing?.timer);
    playing = null;
    document.removeEventListener("keydown", interrupt, true);
    document.removeEventListener("pointerdown", interrupt, true);
    show("Play");
    stage.change({}, { commit: true });
  }

  /** Stops playing, except for presses on the play button, which its click handles. @param {KeyboardEvent | PointerEvent} event */
  function interrupt(event) {
    if (event instanceof KeyboardEvent && event.key === " ") return; // the play button or the key for play
    const pressing = !(event instanceof KeyboardEvent) || event.key === "Enter" || event.key === " ";
    if (!(pressing && event.target instanceof Node && button.contains(event.target))) stop();
  }

  function advance() {
    if (!playing) return;
    const value = playing.sweep.next();
    if (value === null) {
      stop();
      return;
    }
    playing.at = performance.now();
    stage.change({ [playing.name]: value }, { commit: false });
  }

  /** @param {string} text */
  function show(text) {
    setText(word, text);
    button.setAttribute("aria-pressed", String(playing !== null));
    button.querySelector("svg")?.replaceWith(icon(playing ? "pause" : "play"));
  }

  return {
    element: button,
    toggle,
    /** To be called when an answer has been drawn. */
    drawn() {
      if (!playing) return;
      clearTimeout(playing.timer);
      playing.timer = setTimeout(advance, Math.max(0, playing.sweep.pause - (performance.now() - playing.at)));
    },
    /** @param {Playable | undefined} slider */
    describe(slider) {
      button.title = slider ? slider.sweepWords ?? `Move ${whose(slider)} back and forth over its slider (Space)` : "Touch a slider first";
    },
    halt: () => playing && stop(),
  };
}

/** Returns the symbol, preceded by the name of its method if it has one. @param {Playable} slider */
const whose = ({ owner, control }) => [owner, control.symbol].filter(Boolean).join(" ");

/** @param {Playable} slider @param {number} value */
function backAndForth({ track, control }, value) {
  const own = Number(track.step);
  const step = control.kind === "number" && control.log ? own : Math.max(own, (track.max - track.min) / LINEAR_STEPS);
  let direction = 1;
  let position = track.toPosition(value);
  return {
    pause: FRAME,
    next() {
      let following = position + direction * step;
      if (following > track.max + 1e-9 || following < track.min - 1e-9) {
        direction *= -1;
        following = position + direction * step;
      }
      position = clamp(following, track.min, track.max);
      return track.toValue(position);
    },
  };
}
