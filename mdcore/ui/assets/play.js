import { h, setText } from "./dom.js";
import { icon } from "./icons.js";

const FRAME = 30;
const LINEAR_STEPS = 60;

/** Sweeps the slider touched last back and forth, a step per answered picture. Any key or press stops it. */
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
    const { track, name, control } = slider;
    const step = control.log ? track.step : Math.max(track.step, (track.max - track.min) / LINEAR_STEPS);
    playing = { track, name, step, direction: 1, position: track.toPosition(Number(stage.value(name))), at: 0, timer: null };
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
    const { track, name, step } = playing;
    let next = playing.position + playing.direction * step;
    if (next > track.max + 1e-9 || next < track.min - 1e-9) {
      playing.direction *= -1;
      next = playing.position + playing.direction * step;
    }
    playing.position = Math.min(Math.max(next, track.min), track.max);
    playing.at = performance.now();
    stage.change({ [name]: track.toValue(playing.position) }, { commit: false });
  }

  function show(text) {
    setText(word, text);
    button.setAttribute("aria-pressed", String(playing !== null));
    button.querySelector("svg").replaceWith(icon(playing ? "pause" : "play"));
  }

  return {
    element: button,
    /** To be called when an answer is on the screen. */
    drawn() {
      if (!playing) return;
      clearTimeout(playing.timer);
      playing.timer = setTimeout(advance, Math.max(0, FRAME - (performance.now() - playing.at)));
    },
    describe(symbol) {
      button.title = symbol ? `Sweep ${symbol} over its slider, back and forth` : "Touch a slider first";
    },
    halt: () => playing && stop(),
  };
}
