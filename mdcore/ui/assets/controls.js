import { h, setAttribute, setText, uniqueId } from "./dom.js";
import { field, short } from "./format.js";
import { createHelp } from "./help.js";
import { icon } from "./icons.js";
import { clamp, createTrack, isLegal } from "./track.js";

/** Steps from the keyboard become one entry of the history when they pause this long. */
const COMMIT_AFTER = 500;

/**
 * One control of the catalog, of any kind.
 * @returns {{name: string, element: HTMLElement, update(): void, fail(message: string | null): void, track?: object}}
 */
export function createControl(control, stage, owner = "") {
  if (control.kind === "number") return createNumber(control, stage, owner);
  return isSwitch(control) ? createSwitch(control, stage, owner) : createChoice(control, stage, owner);
}

const isSwitch = ({ options }) => options.length === 2 && options.every((option) => ["0", "1"].includes(String(option)));

const nameFor = (control, owner) => {
  const plain = control.name.split(".").at(-1);
  const name = plain === control.symbol ? plain : `${control.symbol} (${plain})`;
  return owner ? `${owner} ${name}` : name;
};

function createNumber(control, stage, owner) {
  const { name, symbol } = control;
  const label = nameFor(control, owner);
  const track = createTrack(control);
  const range = h("input", {
    type: "range", class: "ml-range", "data-param": name, "aria-label": label,
    min: track.min, max: track.max, step: track.step,
  });
  const number = h("input", {
    type: "number", class: "ml-number", "data-param": name, "aria-label": `${label}, value`, step: "any",
    autocomplete: "off", inputmode: "decimal",
  });
  const words = control.words?.length ? createWords(control, stage, label) : null;
  const row = createRow(control, stage, owner, [createTicks(control, track, range), number], words);
  let held = false;
  let typing = false;
  let byHand = false;
  let timer = null;
  let shown;

  const commitSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(commit, COMMIT_AFTER);
  };
  const commit = () => {
    clearTimeout(timer);
    timer = null;
    stage.change({}, { commit: true });
  };
  const release = () => {
    held = false;
    update();
  };

  range.addEventListener("pointerdown", () => {
    held = byHand = true;
    stage.touch(name);
    window.addEventListener("pointerup", release, { once: true });
    window.addEventListener("pointercancel", release, { once: true });
  });
  range.addEventListener("keydown", () => (byHand = false));
  range.addEventListener("focus", () => stage.touch(name));
  range.addEventListener("dblclick", row.reset);
  range.addEventListener("input", () => {
    typing = false;
    row.fail(null);
    stage.touch(name);
    stage.change({ [name]: track.toValue(Number(range.value)) }, { commit: false });
    if (!byHand) commitSoon();
  });
  range.addEventListener("change", () => (byHand ? commit() : commitSoon()));
  range.addEventListener("blur", () => timer !== null && commit());

  number.addEventListener("input", () => (typing = true));
  number.addEventListener("change", accept);
  number.addEventListener("blur", accept);
  number.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (event.key === "Enter") accept();
    else if (event.key === "Escape") leave();
    else if (step) {
      event.preventDefault();
      leave();
      const position = clamp(track.toPosition(value()) + step * track.step, track.min, track.max);
      stage.touch(name);
      stage.change({ [name]: track.toValue(position) }, { commit: false });
      commitSoon();
    }
  });

  function accept() {
    if (!typing) return;
    const wanted = number.value.trim() === "" ? NaN : Number(number.value);
    if (!isLegal(control, wanted)) {
      row.fail(`${symbol} takes ${control.integer ? "an integer" : "a number"} in ${control.legal}`);
      return;
    }
    typing = false;
    row.fail(null);
    stage.touch(name);
    shown = undefined;
    stage.change({ [name]: wanted }, { commit: true });
    update();
  }

  function leave() {
    typing = false;
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
    const word = typeof current !== "number";
    const position = track.toPosition(value());
    if (!held) range.value = String(position);
    range.style.setProperty("--ml-fill", `${((position - track.min) / (track.max - track.min)) * 100}%`);
    setAttribute(range, "aria-valuetext", `${symbol} = ${short(current)}`);
    range.classList.toggle("ml-unused", word);
    if (!typing) {
      number.value = number.defaultValue = word ? "" : field(current);
      number.placeholder = word ? String(current) : "";
      number.title = word ? "" : `${symbol} = ${current}`;
    }
    words?.show(word ? String(current) : "");
    row.mark(current);
    shown = held ? undefined : current;
  }

  return { name, element: row.element, update, fail: row.fail, control, track };
}

/** A number that also takes words: which of them, or a number, holds. */
function createWords(control, stage, label) {
  const select = h("select", { class: "ml-select", "data-words": control.name, "aria-label": `${label}, rule`, onchange },
    h("option", { value: "" }, "number"),
    control.words.map((word) => h("option", { value: word }, word)));
  function onchange() {
    stage.change({ [control.name]: select.value || numericDefault(control) }, { commit: true });
  }
  return { element: select, show: (word) => (select.value = word) };
}

const numericDefault = (control) => (typeof control.default === "number" ? control.default : clamp(1, control.low, control.high));

function createTicks(control, track, range) {
  const ticks = (control.grid ?? [])
    .filter((value) => value >= control.low && value <= control.high)
    .map((value) => (track.toPosition(value) - track.min) / (track.max - track.min))
    .map((share) => h("i", { style: { "--ml-at": share.toFixed(4) } }));
  return h("span", { class: "ml-slider" }, range, h("span", { class: "ml-ticks", "aria-hidden": "true" }, ticks));
}

function createChoice(control, stage, owner) {
  const select = h("select", {
    class: "ml-select", "data-param": control.name, "aria-label": nameFor(control, owner),
    onchange: () => stage.change({ [control.name]: select.value }, { commit: true }),
  }, control.options.map((option) => h("option", { value: option }, option)));
  const row = createRow(control, stage, owner, [select]);
  return {
    name: control.name, element: row.element, control, fail: row.fail,
    update() {
      const current = String(stage.value(control.name));
      if (select.value !== current) select.value = current;
      row.mark(current);
    },
  };
}

function createSwitch(control, stage, owner) {
  const box = h("input", {
    type: "checkbox", class: "ml-switch", role: "switch", "data-param": control.name, "aria-label": nameFor(control, owner),
    onchange: () => stage.change({ [control.name]: box.checked ? 1 : 0 }, { commit: true }),
  });
  const row = createRow(control, stage, owner, [box]);
  return {
    name: control.name, element: row.element, control, fail: row.fail,
    update() {
      const current = stage.value(control.name);
      box.checked = ["1", "true"].includes(String(current));
      row.mark(current);
    },
  };
}

/** What all controls share: symbol, help, the way back to the default, and a line for what is wrong. */
function createRow(control, stage, owner, inputs, words = null) {
  const text = h("span", { class: "ml-error-text", id: uniqueId("ml-error"), hidden: true });
  const back = h("button", {
    type: "button", class: "ml-reset", "aria-label": `${nameFor(control, owner)}: back to ${short(control.default)}`,
    title: `Default: ${short(control.default)}`, onclick: reset,
  }, icon("reset"));
  const element = h("div", { class: `ml-control ml-${control.kind}` },
    h("span", { class: "ml-symbol", title: control.help }, control.symbol),
    inputs, back, createHelp(control, owner), words?.element ?? null, text);
  for (const input of element.querySelectorAll("input, select")) input.setAttribute("aria-describedby", text.id);

  function reset() {
    fail(null);
    stage.change({ [control.name]: null }, { commit: true });
  }

  function fail(message) {
    text.hidden = !message;
    setText(text, message ?? "");
    element.classList.toggle("ml-invalid", Boolean(message));
    for (const input of element.querySelectorAll("input")) setAttribute(input, "aria-invalid", String(Boolean(message)));
    if (message) element.closest("details:not([open])")?.setAttribute("open", "");
  }

  return {
    element, reset, fail,
    mark: (current) => back.classList.toggle("ml-away", String(current) !== String(control.default)),
  };
}
