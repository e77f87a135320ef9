import { createControl } from "./controls.js";
import { h, setText } from "../shell/dom.js";
import { short } from "../shell/format.js";
import { icon } from "../shell/icons.js";
import { parseQuery } from "../state/query.js";
import { createSourceMoves } from "../state/source_moves.js";

/**
 * @import { Catalog, DrawnSource } from "../state/catalog.js"
 * @import { ControlWidget } from "./controls.js"
 */

/** The number of options of a source that are always shown; the others are under "More". The seed has its own row. */
const IN_VIEW = 5;
const LESSER = new Set(["degree", "coef0"]);
const UNTOLD = new Set(["bias", "several"]);
const LARGEST_SEED = 9999;

/** Creates the left column: the data, their split and scaling, the kernel. @param {Stage} stage @param {() => void} compare */
export function createDataPanel(stage, compare) {
  const source = h("select", { class: "ml-select ml-source", "data-param": "data", "aria-label": "Data source", onchange: pick });
  const summary = h("p", { class: "ml-summary" });
  const options = h("div", { class: "ml-options" });
  const common = h("div", {});
  const lead = h("div", { class: "ml-lead-options" });
  const element = h("details", { class: "ml-data", open: true },
    h("summary", { class: "ml-data-title" }, "Data"),
    h("div", { class: "ml-data-body" },
      h("fieldset", {}, h("legend", {}, "Data"), source, summary, options),
      common,
      h("button", {
        type: "button", class: "ml-button", onclick: compare,
        title: "Compare these methods and parameters on repeated splits of these data: scores, tests and tables",
      }, "Compare on repeated splits")));
  /** @type {ControlWidget[]} */
  let controls = [];
  /** @type {DrawnSource[]} */
  let sources = [];
  /** @type {DrawnSource | null} */
  let current = null;
  /** @type {ControlWidget[]} */
  let shared = [];
  /** @type {ControlWidget[]} */
  let optionControls = [];
  const moves = createSourceMoves();
  /** @type {{element: HTMLElement, update: () => void}[]} */
  let sections = [];

  function pick() {
    const next = sources.find(({ key }) => key === source.value);
    if (!current || !next) return;
    const opening = parseQuery(stage.scene.opening);
    const patch = moves.to(current, next, stage.map, opening, classesOf(next));
    stage.change(patch, { commit: true });
    stage.setTool(patch["view.probe"] ? "probe" : "point");
  }

  /** Builds the column once per catalog. @param {Catalog} catalog */
  function build(catalog) {
    sources = catalog.sources;
    current = null;
    /** @param {string} label @param {DrawnSource[]} list */
    const group = (label, list) => (list.length
      ? h("optgroup", { label }, list.map(({ key, title }) => h("option", { value: key }, title)))
      : null);
    const yours = sources.filter(({ own }) => own);
    const flat = sources.filter(({ planar, own }) => planar && !own);
    const deep = sources.filter(({ planar, own }) => !planar && !own);
    source.replaceChildren(
      ...[group("In this session", yours), group("Two features", flat), group("More features", deep)].filter((one) => one !== null));
  }

  /** Builds the controls that every source has, again for each source because defaults differ. @param {AnyControl[]} list */
  function buildShared(list) {
    shared = list.filter(({ group }) => group !== "view").map((control) => createControl(control, stage));
    sections = [
      section("Split, scaling", shared.filter(({ control }) => control.group === "split"), stage),
      section("Kernel", shared.filter(({ control }) => control.group !== "split"), stage),
    ];
    common.replaceChildren(...sections.map(({ element: folded }) => folded));
  }

  /** @param {DrawnSource} next */
  function buildOptions(next) {
    current = next;
    const seed = next.options.find(({ name }) => name === "seed");
    optionControls = next.options.map((control) => createControl(control, stage));
    const leading = optionControls.filter(({ name }) => stage.scene.lead.includes(name));
    const plain = optionControls.filter((control) => control.name !== "seed" && !leading.includes(control));
    lead.replaceChildren(...leading.map((control) => control.element));
    options.replaceChildren(
      ...plain.slice(0, IN_VIEW).map((control) => control.element),
      ...more(plain.slice(IN_VIEW)),
      ...optionControls.filter(({ name }) => name === "seed").map((control) => control.element),
      sampleButtons(next, seed));
    controls = [...optionControls, ...shared];
  }

  /** @param {DrawnSource} from @param {AnyControl | undefined} seed */
  function sampleButtons(from, seed) {
    const draw = () => {
      const { legalLow = null, legalHigh = null } = seed?.kind === "number" ? seed : {};
      const low = Math.max(0, legalLow ?? 0);
      const high = Math.min(legalHigh ?? LARGEST_SEED, LARGEST_SEED);
      stage.change({ seed: low + Math.floor(Math.random() * (high - low + 1)) }, { commit: true });
    };
    const reset = () => {
      const own = from.options.map(({ name }) => name).filter((name) => name !== "seed");
      const cleared = Object.fromEntries([...own, "edits", "view.probe"].map((name) => [name, null]));
      stage.change({ ...cleared, ...classesOf(from) }, { commit: true });
    };
    return h("div", { class: "ml-pair" },
      h("button", {
        type: "button", class: "ml-button", onclick: draw,
        title: from.drawn ? "The same recipe with another random seed" : "The same rows, split differently into training and test",
      }, icon("dice"), from.drawn ? "New sample" : "New split"),
      h("button", { type: "button", class: "ml-button", onclick: reset, title: "The same seed, without edits and with default options" },
        icon("reset"), "Reset"));
  }

  /**
   * Returns options that open a set of several classes on its first pair, as most methods need two classes.
   * @param {DrawnSource} chosen @returns {{[name: string]: string}}
   */
  function classesOf(chosen) {
    const keep = chosen.options.find(({ name }) => name === "keep");
    const pair = keep?.options?.[1];
    return pair !== undefined && !stage.scene.several ? { keep: String(pair) } : {};
  }

  return {
    element,
    /** The options shown above the picture. */
    lead,
    build,
    get controls() {
      return controls;
    },

    /** @param {Catalog} catalog */
    update(catalog) {
      const key = stage.value("data");
      const next = catalog.source(key);
      if (next && next !== current) {
        buildShared(catalog.common(key));
        buildOptions(next);
        source.value = key;
        setText(summary, next.summary);
      }
      for (const control of [...controls, ...sections]) control.update();
      const kernel = stage.value("kernel");
      for (const { name, element: row } of shared) {
        const idle = (name === "gamma" && kernel === "linear") || (LESSER.has(name) && kernel !== "poly");
        row.classList.toggle("ml-idle", idle);
        if (name === "several") row.hidden = !(stage.scene?.classes.length > 2);
      }
    },
  };
}

/**
 * Creates a section that is folded while all its controls have their defaults; its summary says what is set.
 * @param {string} title @param {ControlWidget[]} controls @param {Stage} stage
 */
function section(title, controls, stage) {
  const lesser = controls.filter(({ name }) => LESSER.has(name));
  const plain = controls.filter(({ name }) => !LESSER.has(name));
  const opening = parseQuery(stage.scene.opening);
  const touched = controls.some(({ name, control }) =>
    ![String(control.default), opening.get(name)].includes(String(stage.value(name))));
  const now = h("span", { class: "ml-set" });
  const element = h("details", { class: "ml-section", open: touched },
    h("summary", {}, h("b", {}, title), now),
    plain.map((control) => control.element), more(lesser));
  const told = plain.filter(({ name }) => !UNTOLD.has(name));
  return {
    element,
    update: () => setText(now, told.map(({ name }) => short(stage.value(name))).join(", ")),
  };
}

/** @param {ControlWidget[]} controls */
export function more(controls) {
  if (!controls.length) return [];
  const symbols = controls.map(({ control }) => control.symbol).join(", ");
  return [h("details", { class: "ml-more" },
    h("summary", {}, `More: ${symbols}`),
    controls.map(({ element }) => element))];
}
