import { h, setText } from "../shell/dom.js";
import { icon } from "../shell/icons.js";

const FRAME = 30;
const LINEAR_STEPS = 60;

/**
 * Sweeps the slider touched last, a step per answered picture: back and forth, or as its own `sweep` says, until that
 * has no next value. Any key or press stops it.
 */
export function createPlay(stage, findSlider) {
  const word = h("span", { class: "ml-word" }, "Play");
  const button = h("button", { type: "button", class: "ml-button ml-play", "aria-pressed": "false", onclick: toggle }, icon("play"), word);
  let playing = null;

  function toggle() {
    if (playing) stop();
    else start();
  }

  function start() {
    const slider = findSlider();
    if (!slider) return;
    const { name, control } = slider;
    playing = { name, sweep: slider.sweep?.() ?? backAndForth(slider, Number(stage.value(name))), at: 0, timer: null };
    show(`Stop (${control.symbol})`);
    document.addEventListener("keydown", interrupt, true);
    document.addEventListener("pointerdown", interrupt, true);
    advance();
  }

  function stop() {
    clearTimeout(playing.timer);
    playing = null;
    document.removeEventListener("keydown", interrupt, true);
    document.removeEventListener("pointerdown", interrupt, true);
    show("Play");
    stage.change({}, { commit: true });
  }

  /** A press on the button itself, by hand or by key, is left to its click. */
  function interrupt(event) {
    const pressing = event.type === "pointerdown" || event.key === "Enter" || event.key === " ";
    if (!(pressing && button.contains(event.target))) stop();
  }

  function advance() {
    const value = playing.sweep.next();
    if (value === null) return stop();
    playing.at = performance.now();
    return stage.change({ [playing.name]: value }, { commit: false });
  }

  function show(text) {
    setText(word, text);
    button.setAttribute("aria-pressed", String(playing !== null));
    button.querySelector("svg").replaceWith(icon(playing ? "pause" : "play"));
  }

  return {
    element: button,
    toggle,
    /** To be called when an answer is on the screen. */
    drawn() {
      if (!playing) return;
      clearTimeout(playing.timer);
      playing.timer = setTimeout(advance, Math.max(0, playing.sweep.pause - (performance.now() - playing.at)));
    },
    describe(slider) {
      button.title = slider ? slider.sweepWords ?? `Sweep ${slider.control.symbol} over its slider, back and forth` : "Touch a slider first";
    },
    halt: () => playing && stop(),
  };
}

function backAndForth({ track, control }, value) {
  const step = control.log ? track.step : Math.max(track.step, (track.max - track.min) / LINEAR_STEPS);
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
      position = Math.min(Math.max(following, track.min), track.max);
      return track.toValue(position);
    },
  };
}
