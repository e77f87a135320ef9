import { createRow, nameFor } from "./control_row.js";
import { createNumberField } from "./number_field.js";
import { createRangeHand } from "./range_hand.js";
import { h, setAttribute } from "../shell/dom.js";
import { field, short } from "../shell/format.js";
import { clamp, createTrack, isLegal } from "../state/track.js";

/**
 * @import { Track } from "../state/track.js"
 */

/** The pause, in ms, after which steps from the keyboard become one entry of the history. */
const COMMIT_AFTER = 500;

/**
 * Creates a slider with a number field; some also take a word or infinity.
 * @param {NumberControl} control @param {Stage} stage @param {string} owner
 */
export function createSlider(control, stage, owner, track = createTrack(control)) {
  const { name, symbol } = control;
  const label = nameFor(control, owner);
  const range = h("input", {
    type: "range", class: "ml-range", "data-param": name, "aria-label": label,
    min: track.min, max: track.max, step: track.step,
  });
  const typed = createNumberField({ "data-param": name, "aria-label": `${label}, value` }, {
    legal: (wanted) => isLegal(control, wanted),
    take,
    refuse: () => row.fail(`${symbol} takes ${control.integer ? "an integer" : "a number"} in ${control.legal}`),
    leave,
  });
  const number = typed.element;
  const words = control.words?.length ? createWords(control, stage, label) : null;
  const endless = isLegal(control, Infinity) ? createInfinity(control, stage, label) : null;
  const slider = h("span", { class: "ml-track" }, createTicks(control, track, range), endless?.element);
  const row = createRow(control, stage, owner, [slider, number], words);
  let byHand = false;
  /** @type {number | undefined} */
  let timer;
  /** @type {unknown} */
  let shown;

  const commitSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(commit, COMMIT_AFTER);
  };
  const commit = () => {
    clearTimeout(timer);
    timer = undefined;
    stage.change({}, { commit: true });
  };
  const follow = () => {
    typed.drop();
    row.fail(null);
    stage.touch(name);
    stage.change({ [name]: track.toValue(Number(range.value)) }, { commit: false });
    if (!byHand) commitSoon();
  };
  const hand = createRangeHand(range, {
    follow,
    begin() {
      byHand = true;
      stage.touch(name);
    },
    end() {
      shown = undefined;
      update();
    },
  });

  range.addEventListener("keydown", () => (byHand = false));
  range.addEventListener("focus", () => stage.touch(name));
  range.addEventListener("dblclick", row.reset);
  range.addEventListener("change", () => (byHand ? commit() : commitSoon()));
  range.addEventListener("blur", () => timer !== undefined && commit());

  if (endless) {
    // A number field accepts neither letters nor the infinity sign, so these keys are handled before it gets them.
    number.addEventListener("beforeinput", (event) => {
      if (!/^\s*(i|∞|\+?inf)/i.test(event.data ?? event.dataTransfer?.getData("text") ?? "")) return;
      event.preventDefault();
      take(Infinity);
    });
  }
  number.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    leave();
    stage.touch(name);
    stage.change({ [name]: track.move(value(), step) }, { commit: false });
    commitSoon();
  });

  /** @param {number} wanted */
  function take(wanted) {
    typed.drop();
    row.fail(null);
    stage.touch(name);
    shown = undefined;
    stage.change({ [name]: wanted }, { commit: true });
    update();
  }

  function leave() {
    typed.drop();
    row.fail(null);
    shown = undefined;
    update();
  }

  const value = () => {
    const current = stage.value(name);
    return typeof current === "number" ? current : numericDefault(control);
  };

  function update() {
    const current = stage.value(name);
    if (current === shown) return;
    const word = !Number.isFinite(current);
    hand.show(track, value(), `${symbol} = ${word ? short(current) : field(current)}`);
    range.classList.toggle("ml-unused", word);
    if (!typed.typing) {
      number.value = number.defaultValue = word ? "" : field(current);
      number.placeholder = word ? short(current) : "";
      number.title = word ? "" : `${symbol} = ${current}`;
    }
    words?.show(word ? String(current) : "");
    endless?.show(current);
    row.mark(current);
    shown = hand.held ? undefined : current;
  }

  return { name, owner, element: row.element, update, fail: row.fail, control, track };
}

/**
 * Creates the button for infinity, which no slider position represents; a second press restores the previous number.
 * @param {NumberControl} control @param {Stage} stage @param {string} label
 */
function createInfinity(control, stage, label) {
  let before = numericDefault(control);
  const element = h("button", {
    type: "button", class: "ml-infinity", "aria-pressed": "false", "aria-label": `${label}: infinity`, title: `${control.symbol} = ∞`,
    onclick: () => stage.change({ [control.name]: pressed() ? before : Infinity }, { commit: true }),
  }, "∞");
  const pressed = () => element.getAttribute("aria-pressed") === "true";
  return {
    element,
    /** @param {number} current */
    show(current) {
      if (Number.isFinite(current)) before = current;
      setAttribute(element, "aria-pressed", String(current === Infinity));
    },
  };
}

/**
 * Creates the choice between the words that a number can also take, and a number.
 * @param {NumberControl} control @param {Stage} stage @param {string} label
 */
function createWords(control, stage, label) {
  const select = h("select", { class: "ml-select", "data-words": control.name, "aria-label": `${label}, rule`, onchange },
    h("option", { value: "" }, "number"),
    control.words.map((word) => h("option", { value: word }, word)));
  function onchange() {
    stage.change({ [control.name]: select.value || numericDefault(control) }, { commit: true });
  }
  return { element: select, show: (/** @type {string} */ word) => (select.value = word) };
}

/** @param {NumberControl} control */
const numericDefault = (control) => (typeof control.default === "number" ? control.default : clamp(1, control.low, control.high));

/** @param {NumberControl} control @param {Track} track @param {HTMLElement} range */
function createTicks(control, track, range) {
  const ticks = (control.grid ?? [])
    .filter((value) => value >= control.low && value <= control.high)
    .map((value) => (track.toPosition(value) - track.min) / (track.max - track.min))
    .map((share) => h("i", { style: { "--ml-at": share.toFixed(4) } }));
  return h("span", { class: "ml-slider" }, range, h("span", { class: "ml-ticks", "aria-hidden": "true" }, ticks));
}
