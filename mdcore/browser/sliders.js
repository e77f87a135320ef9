import { createPageSliders } from "./controls/page_sliders.js";
import { loadSheet } from "./shell/sheet.js";

/**
 * Sliders of a page as a Streamlit component, which reports their values while they are dragged.
 * @import { SlidersMessage } from "./controls/page_sliders.js"
 * @param {Setters & {parentElement: HTMLElement & {marginLab?: ReturnType<typeof createPageSliders>}, data: SlidersMessage}} given
 */
export default function sliders({ parentElement, data, setStateValue }) {
  if (!parentElement.marginLab) {
    parentElement.marginLab = createPageSliders(parentElement);
    ["stage.css", "page_sliders.css"].map(loadSheet);
  }
  parentElement.marginLab.receive(data, setStateValue);
}
