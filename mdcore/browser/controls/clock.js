import { thousands } from "../shell/format.js";
import { h, setAttribute, setText } from "../shell/dom.js";
import { icon } from "../shell/icons.js";
import { createSlider } from "./slider.js";
import { createCountTrack } from "../state/track.js";

/**
 * @import { Catalog } from "../state/catalog.js"
 * @import { Playable } from "../state/play.js"
 *
 * @typedef {{name: string, label: string, step: (clock: Clock) => number | null}} StepButton
 */

const PLAY_TIME = 15000;
const FRAME = 40;
const COMMIT_AFTER = 500;

/** The speeds at which a stream is played: examples or updates per second, or the whole stream in a fixed time. */
const SPEEDS = [
  { value: "u1", words: "1 update a second", updates: true, pause: 1000 },
  { value: "u4", words: "4 updates a second", updates: true, pause: 250 },
  { value: "e2", updates: false, words: "2 examples a second", pause: 500 },
  { value: "e10", updates: false, words: "10 examples a second", pause: 100 },
  { value: "all", updates: false, words: "all of it in 15 s", pause: FRAME },
];

/**
 * Creates the controls for the time of a stream, the number of examples seen: a slider with its number, buttons for steps
 * by example and by update, and play. They are shown when Python sends a clock.
 * @param {Stage} stage @param {HTMLElement} play
 */
export function createClock(stage, play) {
  const clockNow = () => /** @type {Clock} */ (stage.scene.clock); // set whenever these controls are shown
  const now = () => Math.min(stage.value("step") ?? Infinity, clockNow().end);
  const timed = Object.create(stage, { value: { value: (/** @type {string} */ name) => (name === "step" ? now() : stage.value(name)) } });
  /** @type {number | undefined} */
  let timer;
  /** @type {StepButton[]} */
  const steps = [
    { name: "first", label: "To the start: no example seen", step: () => (now() > 0 ? 0 : null) },
    { name: "jumpBack", label: "Back to the previous update", step: ({ previous }) => previous },
    { name: "back", label: "One example back", step: () => (now() > 0 ? now() - 1 : null) },
    { name: "forward", label: "One example forward", step: ({ end }) => (now() < end ? now() + 1 : null) },
    { name: "jump", label: "Forward to the next update", step: ({ next }) => next },
    { name: "last", label: "To the end: no further updates", step: ({ end }) => (now() < end ? end : null) },
  ];
  const buttons = steps.map(createButton);
  const speed = h("select", {
    class: "ml-select ml-speed", "aria-label": "Speed of play", title: "Speed of play",
    onchange: () => stage.change({ "view.speed": speed.value }, { commit: true }),
  }, SPEEDS.map(({ value, words }) => h("option", { value }, words)));
  const slot = h("div", { class: "ml-clock-slider" });
  const total = h("span", { class: "ml-muted" });
  const keys = h("span", { class: "ml-group" }, buttons.map(({ element }) => element));
  const element = h("div", { class: "ml-clock", role: "group", "aria-label": "Stream of examples", hidden: true }, keys, speed, slot, total);
  const home = document.createComment("play");
  /** @type {(ReturnType<typeof createSlider> & Playable) | null} */
  let slider = null;
  /** @type {number | null} */
  let shownEnd = null;

  /** Goes to a step; successive steps become one entry of the history after a pause. @param {number} step */
  function goTo(step) {
    stage.change({ step }, { commit: false });
    clearTimeout(timer);
    timer = setTimeout(() => stage.change({}, { commit: true }), COMMIT_AFTER);
  }

  /** @param {StepButton} button */
  function createButton({ name, label, step }) {
    const button = h("button", {
      type: "button", class: "ml-button", "aria-label": label, title: label,
      onclick: () => {
        const target = step(clockNow());
        if (target !== null) goTo(target);
      },
    }, icon(name));
    return { element: button, update: (/** @type {Clock} */ clock) => setAttribute(button, "aria-disabled", String(step(clock) === null)) };
  }

  /** Places the play button beside the steps while there is a stream, else in the toolbar. @param {boolean} here */
  function placePlay(here) {
    if (here === keys.contains(play)) return;
    if (here) {
      play.replaceWith(home);
      buttons[2].element.after(play);
    } else home.replaceWith(play);
  }

  /** Builds the slider for another end, and keeps the focus. @param {NumberControl} control @param {number} end */
  function build(control, end) {
    const { activeElement } = document;
    const focused = activeElement instanceof HTMLInputElement && slot.contains(activeElement) ? activeElement.type : null;
    const made = createSlider({ ...control, low: 0, high: end, default: end }, timed, "", createCountTrack(end));
    slider = Object.assign(made, { sweep, sweepWords: "Play the stream from here at the chosen speed" });
    slot.replaceChildren(slider.element);
    const [range, field] = slot.querySelectorAll("input");
    range.addEventListener("keydown", moveByKey);
    if (focused) (focused === range.type ? range : field).focus();
    shownEnd = end;
  }

  /**
   * Moves by one example for an arrow key and by one update for a page key; the slider's own steps would be fractions.
   * @param {KeyboardEvent} event
   */
  function moveByKey(event) {
    const { end, next, previous } = clockNow();
    /** @type {{[key: string]: number | null}} */
    const targets = {
      ArrowRight: now() + 1, ArrowUp: now() + 1, ArrowLeft: now() - 1, ArrowDown: now() - 1,
      PageUp: next, PageDown: previous, Home: 0, End: end,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    if (target !== null && target >= 0 && target <= end) goTo(target);
  }

  /** Returns the steps of play, which restarts from the end. */
  function sweep() {
    const { value, updates, pause } = SPEEDS.find((one) => one.value === speed.value) ?? SPEEDS[0];
    const track = createCountTrack(clockNow().end);
    let anew = now() >= clockNow().end;
    let position = anew ? 0 : track.toPosition(now());
    return {
      pause,
      next() {
        const { end, next } = clockNow();
        if (anew) {
          anew = false;
          return 0;
        }
        if (now() >= end) return null;
        if (updates) return next ?? end;
        if (value !== "all") return now() + 1;
        const before = now();
        while (track.toValue(position) <= before) position += (track.max * FRAME) / PLAY_TIME;
        return track.toValue(Math.min(position, track.max));
      },
    };
  }

  return {
    element,
    get controls() {
      return slider && !element.hidden ? [slider] : [];
    },

    /** @param {Scene} scene @param {Catalog} catalog */
    update(scene, catalog) {
      const { clock } = scene;
      element.hidden = !clock;
      placePlay(Boolean(clock));
      if (!clock) return;
      if (clock.end !== shownEnd) build(/** @type {NumberControl} */ (catalog.controls(stage.value("data")).get("step")), clock.end);
      slider?.update();
      for (const button of buttons) button.update(clock);
      const chosen = String(stage.value("view.speed") ?? "");
      speed.value = SPEEDS.some(({ value }) => value === chosen) ? chosen : "u4";
      setText(total, `of ${thousands(clock.end)}`);
    },
  };
}
