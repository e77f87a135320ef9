import { createRadioGroup } from "./a11y.js";
import { createMark } from "../canvas/glyphs.js";
import { h, setAttribute } from "./dom.js";
import { icon } from "./icons.js";
import { className } from "../state/class_filter.js";
import { spoken } from "./words.js";

const TOOLS = [
  { value: "point", label: "Inspect", content: () => icon("point"), title: "Inspect: hover one example, drag to brush several" },
  { value: "add0", label: "Add example of the first class", content: () => h("span", { class: "ml-class" }), title: "Add an example of the first class" },
  { value: "add1", label: "Add example of the second class", content: () => h("span", { class: "ml-class" }), title: "Add an example of the second class" },
  { value: "move", label: "Move", content: () => icon("move"), title: "Drag an example" },
  { value: "flip", label: "Flip label", content: () => icon("flip"), title: "Flip the label of an example" },
  { value: "delete", label: "Delete", content: () => icon("delete"), title: "Delete an example" },
  { value: "probe", label: "Outlier probe", content: () => icon("probe"), title: "Outlier probe: drag one example and see how far each boundary turns" },
];
const EDITING = new Set(["add0", "add1", "move", "flip", "delete", "probe"]);

/**
 * The two rows over the picture: methods and scale; tools and actions.
 * @param {{chips: Element, pin: Element, play: Element, recent: Element, exports: Element}} parts
 */
export function createToolbar(stage, parts, actions) {
  const scale = createRadioGroup("Margin scale", [
    { value: "functional", label: "Functional margins y f(x)", content: "Functional" },
    { value: "geometric", label: "Geometric margins y f(x) / ||w||", content: "Geometric" },
  ], (value) => stage.change({ scale: value }, { commit: true }));
  const tools = createRadioGroup("Tools", TOOLS.map((tool) => ({ ...tool, content: tool.content() })), stage.setTool);

  const undo = button("undo", "Undo (Ctrl+Z)", actions.undo);
  const redo = button("redo", "Redo (Ctrl+Shift+Z)", actions.redo);
  const clear = button("clear", "Reset edits: the sample as it was drawn", () => stage.change({ edits: null, "view.probe": null }, { commit: true }));
  const support = button("support", "Mark support vectors, or the examples outside a method's band",
    () => stage.change({ "view.sv": stage.value("view.sv") === "1" ? null : 1 }, { commit: true }));
  const share = button("share", "Copy the address of this state", actions.share);
  const projector = button("projector", "Projector: large type", () =>
    stage.change({ "view.projector": stage.projector ? null : 1 }, { commit: true }));
  const data = button("data", "Data, split and kernel", () => actions.data(data), "Data");
  data.classList.add("ml-data-button");
  const all = button("tools", "All tools, methods and sliders", () => setAttribute(all, "aria-pressed", String(actions.all())), "All tools");
  all.classList.add("ml-all-tools");
  all.setAttribute("aria-pressed", "false");

  const element = h("div", { class: "ml-toolbar" },
    h("div", { class: "ml-bar ml-bar-methods" }, parts.chips,
      h("span", { class: "ml-group" }, parts.recent, share, parts.exports, all, projector)),
    h("div", { class: "ml-bar", role: "toolbar", "aria-label": "Tools and actions" },
      data,
      h("span", { class: "ml-group ml-lesser" }, tools.element),
      h("span", { class: "ml-group" }, undo, redo, h("span", { class: "ml-lesser" }, clear)),
      h("span", { class: "ml-lesser" }, support),
      scale.element,
      parts.play,
      parts.pin));

  return {
    element,
    /** Icons in the colours of the theme. */
    paint: () => markClasses(tools.element, stage.theme),
    update(scene, history) {
      scale.show(String(stage.value("scale")));
      tools.show(stage.tool);
      tools.enable((tool) => scene.canEdit || !EDITING.has(tool));
      for (const [label, name] of scene.classes.slice(0, 2).entries()) nameClass(tools.element, label, name);
      disable(undo, !history.canUndo);
      disable(redo, !history.canRedo);
      disable(clear, stage.value("edits") === null);
      support.setAttribute("aria-pressed", String(stage.value("view.sv") === "1"));
      projector.setAttribute("aria-pressed", String(stage.projector));
    },
  };
}

/** The tools that add an example show what they add. */
function markClasses(tools, theme) {
  for (const [label, place] of tools.querySelectorAll(".ml-class").entries()) place.replaceChildren(createMark(label, theme), icon("add"));
}

function nameClass(tools, label, name) {
  const tool = tools.querySelector(`[data-value=add${label}]`);
  const text = `Add example of ${className(name)}`;
  if (tool.title === text) return;
  tool.title = text;
  tool.setAttribute("aria-label", spoken(text));
}

function button(name, label, action, word = null) {
  return h("button", {
    type: "button", class: "ml-button", title: label, "aria-label": label,
    onclick: (event) => event.currentTarget.getAttribute("aria-disabled") !== "true" && action(),
  }, icon(name), word ? h("span", { class: "ml-word" }, word) : null);
}

const disable = (element, off) => element.setAttribute("aria-disabled", String(off));
