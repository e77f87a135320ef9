/**
 * The common parts of every view: two stacked canvases, type sizes, a tooltip.
 *
 * @typedef {{small: number, projector: boolean, line: number, smallFont: string, boldFont: string}} Type  sizes in CSS pixels
 * @typedef {ReturnType<typeof createSurface>} Surface
 */

import { h } from "../shell/dom.js";
import { clamp } from "../state/track.js";

const MAX_PIXEL_RATIO = 2;

/** @param {HTMLCanvasElement} canvas @param {CanvasRenderingContext2DSettings} [settings] @returns {Pen} */
export const penOf = (canvas, settings) => /** @type {Pen} */ (canvas.getContext("2d", settings));

/** @typedef {Pick<ViewStage, "projector" | "sharpness">} Screen */

/** @param {HTMLElement} host @param {Screen} stage */
function readSizes(host, { projector }) {
  const style = getComputedStyle(host);
  const least = projector ? 18 : 12;
  const small = Math.max(least, parseFloat(style.getPropertyValue("--ml-font-small")) || least); // in px
  return { small, projector, fontFamily: style.fontFamily };
}

/**
 * Creates the canvases. `base` has the picture, redrawn when the scene changes; `overlay` has what follows the pointer.
 * @param {HTMLElement} host sized by CSS
 * @param {Screen} stage
 */
export function createSurface(host, stage) {
  const canvas = h("canvas", { class: "ml-drawing-base", role: "img" });
  const cover = h("canvas", { class: "ml-drawing-cover", "aria-hidden": "true" });
  const tip = h("div", { class: "ml-tip", hidden: true, "aria-hidden": "true" }); // its text is announced elsewhere
  const root = h("div", { class: "ml-drawing" }, canvas, cover, tip);
  host.append(root);

  /** Replaced by a new object only when a size has changed. @type {Type} */
  let type;
  let measured = "";
  const surface = {
    canvas,
    cover,
    base: penOf(canvas),
    overlay: penOf(cover),
    width: 0,
    height: 0,
    get type() {
      return type;
    },

    measure() {
      const ratio = stage.sharpness ?? Math.min(MAX_PIXEL_RATIO, window.devicePixelRatio || 1);
      const { clientWidth: width, clientHeight: height } = host;
      const { fontFamily, ...sizes } = readSizes(host, stage);
      const shape = [ratio, width, height, fontFamily, ...Object.values(sizes)].join();
      if (shape === measured) return;
      measured = shape;
      Object.assign(surface, { width, height });
      for (const pen of [surface.base, surface.overlay]) {
        pen.canvas.width = Math.round(width * ratio);
        pen.canvas.height = Math.round(height * ratio);
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      }
      const { small, projector } = sizes;
      type = {
        small,
        projector,
        line: Math.round(small * 1.3),
        smallFont: `${small}px ${fontFamily}`,
        boldFont: `600 ${small}px ${fontFamily}`,
      };
    },

    /** Reads sizes again only when the shell says so or the type has changed, because reading them costs a layout. */
    ready() {
      if (!type || type.projector !== stage.projector) surface.measure();
      return surface.width > 0 && surface.height > 0;
    },

    /** @param {string} text */
    describe(text) {
      if (canvas.getAttribute("aria-label") !== text) canvas.setAttribute("aria-label", text);
    },

    /**
     * @param {string[]} lines the first one in bold
     * @param {number} x @param {number} y
     * @param {(left: number, top: number, right: number, bottom: number) => number} [hides]  how much a tooltip at a place would hide
     */
    showTip(lines, x, y, hides = () => 0) {
      if (tip.textContent !== lines.join("")) {
        tip.replaceChildren(...lines.map((line) => h("div", {}, line)));
      }
      tip.hidden = false;
      const { offsetWidth: wide, offsetHeight: high } = tip;
      const clear = 14;
      const within = (/** @type {number} */ start, /** @type {number} */ size, /** @type {number} */ room) =>
        clamp(start, 0, room - size);
      const tops = [y + clear, y - clear - high, surface.height - high, 0];
      const places = tops.flatMap((top) => [x + clear, x - clear - wide].map((left) =>
        [within(left, wide, surface.width), within(top, high, surface.height)]));
      const costs = places.map(([left, top]) =>
        hides(left, top, left + wide, top + high) + (x > left - 2 && x < left + wide + 2 && y > top - 2 && y < top + high + 2 ? 1e3 : 0));
      const [left, top] = places[costs.indexOf(Math.min(...costs))];
      tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    },

    hideTip() {
      tip.hidden = true;
    },

    /** Returns the pointer position in CSS pixels of the canvas. @param {PointerEvent} event */
    at(event) {
      const box = cover.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    },

    destroy() {
      root.remove();
    },
  };
  return surface;
}

/** Creates a function that returns whether any of its arguments differs from those of the last call. */
export function createChangeDetector() {
  /** @type {unknown[]} */
  let last = [];
  return (/** @type {unknown[]} */ ...now) => {
    const changed = now.length !== last.length || now.some((value, i) => value !== last[i]);
    last = now;
    return changed;
  };
}
