import { penOf } from "../canvas/surface.js";
import { h } from "./dom.js";

const DARK_BELOW = 0.35;

/**
 * Detects light or dark from the background of the page, and calls `changed` whenever it changes.
 * An element has the background with a short transition, whose end signals any change of theme, whatever its cause.
 * @param {HTMLElement} root @param {() => void} changed
 */
export function watchAppearance(root, changed) {
  const probe = h("span", { class: "ml-probe", "aria-hidden": "true" });
  root.append(probe);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = penOf(canvas, { willReadFrequently: true });
  let dark = false;

  function read() {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = "#ffffff";
    pen.fillStyle = getComputedStyle(probe).backgroundColor;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    const luminance = a < 128 ? 1 : (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
    return luminance < DARK_BELOW;
  }

  function check() {
    dark = read();
    root.classList.toggle("ml-dark", dark);
    changed();
  }
  probe.addEventListener("transitionend", check);

  return {
    get dark() {
      return dark;
    },
    check,
  };
}
