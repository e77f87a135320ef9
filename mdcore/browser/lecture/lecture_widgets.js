/** The widgets of a lecture step, in place of the playground's: large pictures, and the few controls that are kept. */

import { createBounds } from "./bounds.js";
import { createCharts } from "../charts/charts.js";
import { createClassTools } from "../shell/class_tools.js";
import { createControl } from "../controls/controls.js";
import { createExportMenu } from "../shell/menus.js";
import { createHeadline } from "../shell/headline.js";
import { createLegend } from "../charts/legend.js";
import { createNote } from "../shell/help.js";
import { createPanelRow } from "../charts/panel_row.js";
import { createPapers } from "./papers.js";
import { createRadioGroup } from "../shell/a11y.js";
import { createTable } from "../charts/table.js";
import { h } from "../shell/dom.js";
import { sharpenedBy } from "../shell/sharpened.js";

/**
 * @import { MakeWidgets } from "../shell/widgets.js"
 * @import { ControlWidget } from "../controls/controls.js"
 * @import { Catalog } from "../state/catalog.js"
 */

const EDIT = "edit";
const TOOLS = [
  { value: "point", content: "look" },
  { value: "move", content: "move" },
  { value: "add0", content: "add" },
  { value: "add1", content: "add" },
  { value: "flip", content: "flip" },
  { value: "delete", content: "delete" },
].map((tool) => ({ ...tool, label: `${tool.content} an example` }));

/**
 * @param {Parameters<MakeWidgets>} pieces  of the stage
 * @param {boolean} exports  whether the pictures can be exported
 * @param {{play: () => void, rest: (scene: Scene) => void}} events  the user has changed the picture; the picture is final
 */
export function createLectureWidgets([root, stage, { painter }, actions], exports, events) {
  /** @type {Catalog | null} */
  let catalog = null;
  /** @type {ShownStep} */
  let shown = { views: ["boundary", "cumulative"], keep: [], editing: false };
  /** @type {ControlWidget[]} */
  let controls = [];

  /** The stage for views and controls, on which a change by the user starts free play. */
  const own = Object.create(stage, {
    change: {
      /** @param {Patch} patch @param {{commit?: boolean}} options */
      value(patch, options) {
        if (Object.keys(patch).some((key) => !key.startsWith("view."))) events.play();
        stage.change(patch, options);
      },
    },
  });

  const headline = createHeadline(actions.retry);
  const row = createPanelRow(own, "ml-lecture-panel", painter.watch, (key) => {
    const { name, summary } = /** @type {Catalog} */ (catalog).method(key); // built before the panels are arranged
    return createNote(name, h("p", {}, summary));
  });
  const charts = createCharts(["histogram", "cumulative"], own);
  const table = createTable();
  table.element.tabIndex = 0; // it scrolls on a phone
  const bounds = createBounds();
  const papers = createPapers();
  const legendSlot = h("div", { class: "ml-lecture-legend" });
  const legend = createLegend(legendSlot, own);
  const tools = createRadioGroup("Tools", TOOLS, stage.setTool);
  const adding = createClassTools(tools.element);
  const strip = h("div", { class: "ml-lecture-controls", role: "group", "aria-label": "Controls of this step" });
  const sections = new Map(charts.map(({ name, title, help, host }) =>
    [name, h("section", { class: "ml-lecture-chart", "aria-label": title },
      h("header", {}, h("h2", {}, title), help ? createNote(title, h("p", {}, help)) : null), h("div", { class: "ml-view-frame" }, host))]));
  const lower = h("div", { class: "ml-lecture-charts" }, [...sections.values()], bounds.element, papers.element);
  const pictures = h("div", { class: "ml-lecture-stage" }, headline.element, row.element, lower, table.element, legendSlot, strip);
  const sharpened = sharpenedBy(stage, () => views());
  if (exports) headline.element.append(createExportMenu(root, pictures, own, { ...actions, sharpened }));
  root.append(
    pictures,
    h("p", { class: "ml-waiting" }, "computing …"));
  for (const { host } of charts) painter.watch(host);
  painter.watch(root);

  const views = () => [...row.views, ...charts.map(({ view }) => view), legend];

  function lay() {
    const { views: names } = shown;
    row.element.hidden = !names.includes("boundary");
    for (const [name, section] of sections) section.hidden = !names.includes(name);
    table.element.hidden = !names.includes("table");
    bounds.element.hidden = !names.includes("bounds");
    papers.element.hidden = !names.includes("papers");
    papers.update(shown.papers, shown.editing);
    lower.hidden = [...lower.children].every((child) => child instanceof HTMLElement && child.hidden);
    legendSlot.hidden = row.element.hidden;
    root.dataset.views = names.join(" ");
  }

  function furnish() {
    if (!catalog) return;
    const known = catalog.controls(stage.value("data"));
    const names = shown.keep.filter((name) => known.has(name) && methodShown(name));
    controls = names.map((name) => createControl(/** @type {AnyControl} */ (known.get(name)), own, ownerOf(name)));
    strip.replaceChildren(...controls.map(({ element }) => element), ...(shown.keep.includes(EDIT) ? [tools.element] : []));
    strip.hidden = !strip.childElementCount || !shown.editing;
    for (const control of controls) control.update();
  }

  /** @param {string} name */
  const ownerOf = (name) => (name.includes(".") ? catalog?.method(name.split(".")[0]).name ?? "" : "");
  /** @param {string} name */
  const methodShown = (name) => !name.includes(".") || String(stage.value("methods")).split(",").includes(name.split(".")[0]);

  return {
    headline,
    play: { halt() {}, drawn() {} },

    /** Sets what a step shows, which controls it keeps, and whether they are enabled. @param {ShownStep} step */
    configure(step) {
      shown = step;
      if (!shown.editing || !shown.keep.includes(EDIT)) stage.setTool("point");
      else if (stage.tool === "point") stage.setTool("move");
      lay();
      furnish();
      painter.askResize();
    },

    /** @param {Catalog} next */
    build(next) {
      catalog = next;
      lay();
      furnish();
    },

    /** @param {string[]} methods */
    arrange(methods) {
      row.arrange(methods);
      root.dataset.count = String(methods.length);
      furnish();
    },

    touch() {},

    sync() {
      root.classList.toggle("ml-projector", stage.projector);
      for (const control of controls) control.update();
      tools.show(stage.tool);
      if (stage.scene.canEdit) adding.name(stage.scene.classes);
    },

    resize() {
      row.tell(stage.scene);
      adding.paint(stage.theme);
      for (const view of views()) view.resize();
    },

    /** @param {Scene} scene */
    draw(scene) {
      for (const view of views()) view.draw(scene);
      table.update(scene);
    },

    /** @param {Message} scene */
    report(scene) {
      headline.rest(false);
      headline.update(scene);
      bounds.update(scene.bounds ?? []);
      row.tell(scene);
    },

    /** @param {Message} scene */
    rest(scene) {
      headline.rest(true);
      events.rest(scene);
    },
    /** @param {string} key @param {string} message */
    fail: (key, message) => controls.find(({ name }) => name === key)?.fail(message),
    clearFailures() {
      for (const control of controls) control.fail(null);
    },
    destroy() {
      for (const view of views()) view.destroy();
    },
  };
}
