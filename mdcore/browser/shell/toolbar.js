import { createRadioGroup } from "./a11y.js";
import { createClassTools } from "./class_tools.js";
import { h, setAttribute } from "./dom.js";
import { icon } from "./icons.js";

const INSPECT = "point";
const FIRST = "add0"; // with which "Edit" opens: a click anywhere acts
const TOOLS = [
  { value: INSPECT, label: "Inspect", content: () => icon("point"), title: "Inspect: hover one example, drag to brush several" },
  { value: FIRST, label: "Add example", content: () => icon("add") },
  { value: "add1", label: "Add example", content: () => icon("add") },
  { value: "move", label: "Move", content: () => icon("move"), title: "Drag an example" },
  { value: "flip", label: "Flip label", content: () => icon("flip"), title: "Flip the label of an example" },
  { value: "delete", label: "Delete", content: () => icon("delete"), title: "Delete an example" },
  { value: "probe", label: "Outlier probe", content: () => icon("probe"), title: "Outlier probe: drag one example and see how far each boundary turns" },
];

/**
 * Creates the row above the pictures: methods, scale, actions; in "Edit" mode also tools that change the data.
 * @param {{chips: Element, tuning: Element | null, pin: Element, play: Element, recent: Element, exports: Element, keys: Element}} parts
 * @param {Stage} stage @param {{undo: () => void, redo: () => void, share: () => void, data: (button: HTMLElement) => void}} actions
 */
export function createToolbar(stage, parts, actions) {
  const scale = createRadioGroup("Margin scale", [
    { value: "functional", label: "Functional margins y f(x)", content: "Functional" },
    { value: "geometric", label: "Geometric margins, distances to the boundary", content: "Geometric" },
  ], (value) => stage.change({ scale: value }, { commit: true }));
  const tools = createRadioGroup("Tools", TOOLS.map((tool) => ({ ...tool, content: tool.content() })), stage.setTool);
  const adding = createClassTools(tools.element);

  const undo = button("undo", "Undo (Ctrl+Z)", actions.undo);
  const redo = button("redo", "Redo (Ctrl+Shift+Z)", actions.redo);
  const clear = button("clear", "Reset edits: restore the original sample", () => stage.change({ edits: null, "view.probe": null }, { commit: true }), "Reset edits");
  const support = button("support", "Mark support vectors, or the examples outside the band of a method",
    () => stage.change({ "view.sv": stage.value("view.sv") === "1" ? null : 1 }, { commit: true }));
  const share = button("share", "Copy the URL of this state", actions.share);
  const projector = button("projector", "Projector: large type", () =>
    stage.change({ "view.projector": stage.projector ? null : 1 }, { commit: true }));
  const data = button("data", "Data, split and kernel", () => actions.data(data), "Data");
  data.classList.add("ml-data-button");
  const edit = h("button", { type: "button", class: "ml-button ml-edit", "aria-label": "Edit", "aria-expanded": "false", onclick: toggle },
    icon("edit"), h("span", { class: "ml-word" }, "Edit"));
  const editing = h("span", { class: "ml-group ml-editing", hidden: true }, tools.element, clear);

  function toggle() {
    if (edit.getAttribute("aria-disabled") === "true") {
      stage.remark(edit.title);
      return;
    }
    open(Boolean(editing.hidden));
  }

  /** @param {boolean} on */
  function open(on) {
    editing.hidden = !on;
    setAttribute(edit, "aria-expanded", String(on));
    setAttribute(edit, "aria-pressed", String(on));
    if (on === (stage.tool === INSPECT)) stage.setTool(on ? FIRST : INSPECT);
  }

  const element = h("div", { class: "ml-toolbar" },
    h("div", { class: "ml-bar", role: "toolbar", "aria-label": "Tools and actions" },
      data,
      parts.chips,
      parts.play,
      parts.pin,
      edit,
      editing,
      scale.element,
      h("span", { class: "ml-group" }, undo, redo),
      parts.tuning,
      h("span", { class: "ml-group ml-last" }, support, parts.recent, share, parts.exports, parts.keys, projector)));

  return {
    element,
    /** Repaints the icons in the colours of the theme. */
    paint: () => adding.paint(stage.theme),
    /** @param {Scene} scene @param {{canUndo: boolean, canRedo: boolean}} history */
    update(scene, history) {
      scale.show(String(stage.value("scale")));
      tools.show(stage.tool);
      if (stage.tool !== INSPECT && scene.canEdit) open(true);
      else if (!scene.canEdit) open(false);
      setAttribute(edit, "aria-disabled", String(!scene.canEdit));
      edit.title = scene.canEdit ? "Add, move, flip and delete examples; probe with an outlier" : whyNot(scene);
      if (scene.canEdit) adding.name(scene.classes);
      disable(undo, !history.canUndo);
      disable(redo, !history.canRedo);
      disable(clear, stage.value("edits") === null);
      support.setAttribute("aria-pressed", String(stage.value("view.sv") === "1"));
      projector.setAttribute("aria-pressed", String(stage.projector));
    },
  };
}

/** Returns why the examples of a scene cannot be edited, or "". @param {Scene} scene */
function whyNot({ classes, plane }) {
  if (classes.length > 2) return `Examples can be edited only with two classes; these data have ${classes.length}.`;
  if (plane.kind !== "plane") return "Examples can be edited only with two features; these data have another number.";
  return "These examples cannot be edited.";
}

/** @param {string} name @param {string} label @param {() => void} action */
function button(name, label, action, word = "") {
  return h("button", {
    type: "button", class: "ml-button", title: label, "aria-label": label,
    /** @param {Event} event */
    onclick: (/** @type {{currentTarget: HTMLElement}} */ { currentTarget }) => currentTarget.getAttribute("aria-disabled") !== "true" && action(),
  }, icon(name), word ? h("span", { class: "ml-word" }, word) : null);
}

/** @param {HTMLElement} element @param {boolean} off */
const disable = (element, off) => element.setAttribute("aria-disabled", String(off));
