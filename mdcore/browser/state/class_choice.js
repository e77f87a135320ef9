import { createRadioGroup } from "../shell/a11y.js";
import { h, setAttribute } from "../shell/dom.js";
import { labelText } from "../shell/format.js";
import { createMark } from "../canvas/glyphs.js";
import { chosenClass, className } from "./class_filter.js";
import { createChangeDetector } from "../canvas/surface.js";

const EVERY = "";
const MOST = 10; // more classes than this are in a list, not side by side

/** Creates the choice of whose margins are counted: all examples or one class. @param {Stage} stage */
export function createClassChoice(stage) {
  const element = h("div", { class: "ml-class-choice" });
  const changed = createChangeDetector();
  /** @type {{element: HTMLElement, show: (value: string) => void} | null} */
  let group = null;

  /** @param {string} name */
  const choose = (name) => stage.change({ "view.class": name === EVERY ? null : name }, { commit: true });

  /** @param {string[]} classes */
  function createList(classes) {
    const select = h("select", { class: "ml-select", "aria-label": "Margins of", onchange: () => choose(select.value) },
      h("option", { value: EVERY }, `all ${classes.length} classes`),
      classes.map((name) => h("option", { value: name }, className(name))));
    return { element: select, show: (/** @type {string} */ value) => (select.value = value) };
  }

  /** @param {string[]} classes @param {Theme} theme */
  function build(classes, theme) {
    group = classes.length > MOST ? createList(classes) : createRadioGroup("Margins of", [
      { value: EVERY, label: "Margins of all classes", content: "all" },
      ...classes.map((name, label) => ({
        value: name, label: `Margins of ${className(name)}`, content: h("span", { class: "ml-class-name" }, createMark(label, theme), labelText(name)),
      })),
    ], choose);
    element.replaceChildren(h("span", { class: "ml-lead-word", "aria-hidden": "true" }, "Margins of"), group.element);
  }

  return {
    element,
    /** @param {Scene} scene */
    update(scene) {
      setAttribute(element, "data-classes", String(scene.classes.length));
      element.hidden = !scene.byClass;
      if (element.hidden) return;
      const theme = stage.theme;
      if (changed(theme, ...scene.classes)) build(scene.classes, theme);
      group?.show(scene.classes[chosenClass(stage)] ?? EVERY);
    },
  };
}
