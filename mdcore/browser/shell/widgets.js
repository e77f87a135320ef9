import { createRadioGroup } from "./a11y.js";
import { createCharts, missingWords } from "../charts/charts.js";
import { createChips } from "./chips.js";
import { createClassChoice } from "../state/class_choice.js";
import { createClock } from "../controls/clock.js";
import { createDataPanel } from "../controls/data_panel.js";
import { h } from "./dom.js";
import { createHeadline } from "./headline.js";
import { icon } from "./icons.js";
import { createExamples } from "./examples.js";
import { createIntro } from "./intro.js";
import { createLayout } from "./layout.js";
import { createLegend } from "../charts/legend.js";
import { createExportMenu, createRecentMenu } from "./menus.js";
import { chosenClass } from "../state/class_filter.js";
import { createObjective } from "../charts/objective.js";
import { createPanels } from "../charts/panels.js";
import { createPins } from "../state/pins.js";
import { createPlay } from "../state/play.js";
import { createChangeDetector } from "../canvas/surface.js";
import { createShortcuts } from "./shortcuts.js";
import { sharpenedBy } from "./sharpened.js";
import { createTable } from "../charts/table.js";
import { createToolbar } from "./toolbar.js";
import { createTuning } from "./tune_button.js";
import { probeWords } from "./words.js";

/**
 * @import { Playable } from "../state/play.js"
 * @import { Entry } from "../state/recent_settings.js"
 * @import { ControlWidget } from "../controls/controls.js"
 * @import { MadeChart } from "../charts/charts.js"
 * @import { Catalog } from "../state/catalog.js"
 * @import { Line } from "../line/line.js"
 */

const PLAYGROUND = "playground";


/**
 * @typedef {object} Pieces  visible parts of the shell
 * @property {ReturnType<typeof import("../state/history.js").createHistory>} history
 * @property {{entries: Entry[]}} recent
 * @property {ReturnType<typeof import("../canvas/painter.js").createPainter>} painter
 *
 * @typedef {object} Actions
 * @property {(query: string, table?: object | null) => void} goTo
 * @property {(query: string) => void} open
 * @property {() => void} share
 * @property {(file?: string) => void} save
 * @property {() => void} compare
 * @property {() => void} retry
 * @property {Line["tune"]} tune
 *
 * @typedef {Omit<ReturnType<typeof createWidgets>, "play"> & {play: {halt: () => void, drawn: () => void}}} Widgets
 * @typedef {(root: HTMLElement, stage: Stage, pieces: Pieces, actions: Actions) => Widgets} MakeWidgets
 */

/** @param {ControlWidget} control @returns {control is Playable} */
const isSlider = (control) => control.track !== undefined;

/**
 * Creates all visible parts once; later updates only change values and text.
 * @param {HTMLElement} root @param {Stage} stage @param {Pieces} pieces @param {Actions} actions
 */
export function createWidgets(root, stage, { history, recent, painter }, actions) {
  let touched = "";
  /** Set before anything is shown. @type {Catalog} */
  let catalog;
  let probed = "";
  /** @type {MadeChart[]} */
  let charts = [];

  const data = createDataPanel(stage, actions.compare);
  const panels = createPanels(stage, painter.watch, (key) => layout.fill(key));
  const table = createTable();
  const countedAnew = createChangeDetector();
  const classChoice = createClassChoice(stage);
  const headline = createHeadline(actions.retry);
  const chips = createChips(stage);
  const pins = createPins(stage, actions.goTo);
  const play = createPlay(stage, slider);
  const clock = createClock(stage, play.element);
  const split = createRadioGroup("Part shown", ["both", "train", "test"].map((value) => ({ value, label: `Show ${value}`, content: value })),
    (value) => stage.change({ "view.split": value === "both" ? null : value }, { commit: true }));
  const fit = h("button", {
    type: "button", class: "ml-button ml-fit", "aria-label": "Fit the axes", title: "Fit the axes to the picture (F). Otherwise they stand still.", onclick: stage.fit,
  }, icon("fit"));
  const intro = createIntro();
  const examples = createExamples(stage, actions.open);
  const objective = createObjective();
  const layout = createLayout({
    root, data: data.element,
    beside: { before: [intro.element, examples.element], after: objective.element },
    panels: panels.element, pins: pins.list, table: table.element,
  });
  const shortcuts = createShortcuts(root, [
    { key: " ", shown: "Space", words: "play or stop", run: play.toggle },
    { key: "p", shown: "P", words: "pin this state", run: pins.pin },
    { key: "s", shown: "S", words: "functional or geometric margins", run: switchScale },
    { key: "f", shown: "F", words: "fit the axes to the picture", run: stage.fit },
    { key: "n", shown: "N", words: "next example", run: examples.next },
    { key: "v", shown: "V", words: "projector view", run: () => stage.change({ "view.projector": stage.projector ? null : 1 }, { commit: true }) },
  ], () => panels.controls, (at) => chips.press(at));
  const tuning = actions.tune && createTuning(stage, actions.tune, (key) => catalog.method(key).name);
  const toolbar = createToolbar(stage, {
    chips: chips.element,
    tuning: tuning?.element ?? null,
    pin: pins.button,
    play: play.element,
    recent: createRecentMenu(recent, stage, { controlOf, nameOf: (key) => catalog.method(key).name }, actions.goTo),
    exports: createExportMenu(root, layout.views, stage, { ...actions, sharpened: sharpenedBy(stage, () => views()) }),
    keys: shortcuts.element,
  }, { undo: history.undo, redo: history.redo, share: actions.share, data: layout.toggleData });
  layout.place(toolbar.element, clock.element, h("div", { class: "ml-lead" }, data.lead, classChoice.element), headline.element);
  const legend = createLegend(layout.legend, stage, (key) => catalog.method(key).summary);
  painter.watch(root);

  const controls = () => [...data.controls, ...panels.controls, ...clock.controls];
  const views = () => [...panels.views, ...charts.map(({ view }) => view), legend];

  function switchScale() {
    stage.change({ scale: stage.value("scale") === "geometric" ? "functional" : "geometric" }, { commit: true });
  }

  /** @param {string} key */
  function controlOf(key) {
    return catalog.controls(stage.value("data")).get(key);
  }

  /** Returns the last slider touched; initially the clock, or the first slider of the first method with several. */
  function slider() {
    const sliders = controls().filter(isSlider);
    const telling = panels.methods.find((method) => method.controls.length > 1) ?? panels.methods[0];
    return sliders.find(({ name }) => name === touched) ?? clock.controls[0] ?? telling?.controls.find(isSlider);
  }

  /**
   * Builds the charts of the page once. The choice of parts is beside the first chart that shows parts.
   * @param {string[]} names
   */
  function furnish(names) {
    const made = createCharts(names, stage);
    const first = made.find(({ parts }) => parts);
    layout.furnish(made.map((chart) => ({ ...chart, tools: [chart.view.tools, ...(chart === first ? [fit, split.element] : [])] })));
    for (const { host } of made) painter.watch(host);
    charts = made;
  }

  return {
    play,
    headline,

    /** @param {Catalog} next @param {Message} scene */
    build(next, scene) {
      catalog = next;
      data.build(catalog);
      examples.build(scene.page === PLAYGROUND ? catalog.examples : []);
      intro.element.classList.toggle("ml-elsewhere", scene.page !== PLAYGROUND);
      chips.build(scene.offered.map(catalog.method), scene.chips);
      if (!charts.length) furnish(scene.charts);
    },

    /** Arranges the panels of these methods; rebuilds all if the catalog is new. @param {string[]} methods @param {boolean} fresh */
    arrange(methods, fresh) {
      panels.build(catalog, methods, fresh);
      layout.arrange(methods.length, panels.sliderRows);
    },

    /** @param {string} name */
    touch(name) {
      touched = name;
      play.describe(slider());
      objective.touch(name);
    },

    /** Updates everything outside the canvases that shows the wanted state. @param {Message} scene */
    sync(scene) {
      root.classList.toggle("ml-projector", stage.projector);
      data.update(catalog);
      clock.update(scene, catalog);
      for (const control of panels.controls) control.update();
      chips.update();
      classChoice.update(scene);
      pins.update(scene);
      toolbar.update(scene, history);
      tuning?.update();
      split.show(stage.value("view.split") ?? "both");
      play.describe(slider());
    },

    resize() {
      layout.fit();
      panels.paint();
      toolbar.paint();
      classChoice.update(stage.scene);
      for (const view of views()) view.resize();
    },

    /** @param {Scene} scene */
    draw(scene) {
      const missing = charts.filter((chart) => chart.missing(scene)).map(({ name }) => name);
      if (layout.leaveOut(new Set(missing), missingWords(charts, scene))) painter.askResize();
      for (const view of views()) view.draw(scene);
      const chosen = chosenClass(stage);
      const t = Number(stage.value("view.t") ?? 0) || 0;
      if (countedAnew(scene, chosen, t)) table.update(scene, chosen, t);
    },

    /** Updates the numbers for a new picture. @param {Message} scene */
    report(scene) {
      headline.rest(false);
      layout.views.style.setProperty("--ml-classes", String(scene.classes.length));
      root.dataset.preview = String(scene.rows.shown < scene.rows.of);
      panels.update(scene);
      objective.update(scene);
      headline.update(scene);
    },

    /** Called when the picture is final: no request is pending and no drag in progress. @param {Message} scene */
    rest(scene) {
      headline.rest(true);
      const found = probeWords(scene);
      if (found && found !== probed) stage.announce(`${found}.`);
      probed = found;
    },

    /** @param {string} key @param {string} message */
    fail(key, message) {
      controls().find(({ name }) => name === key)?.fail(message);
    },

    clearFailures() {
      for (const control of controls()) control.fail(null);
    },

    destroy() {
      tuning?.stop();
      shortcuts.destroy();
      layout.destroy();
      for (const view of views()) view.destroy();
    },
  };
}
