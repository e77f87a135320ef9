/**
 * The examples of one boundary panel: their positions, how they are drawn, which one is near the pointer.
 *
 * @typedef {ReturnType<typeof createPoints>} Points
 * @typedef {typeof ALL | typeof ONLY_ERRORS} Which
 */

import { setLine } from "./axes.js";
import { DENSE, cellsOf, drawDensity } from "./density.js";
import { TAKEN_REACH, addGlyph, cornersOf, inkGlyphs, inkOutline } from "./glyphs.js";
import { createLayer } from "./layer.js";

/**
 * @import { PendingEdits } from "../state/edits.js"
 */

const ALL = "all";
const ONLY_ERRORS = "errors";
const NONE = new Float32Array();

export function createPoints() {
  let capacity = 0;
  let classes = 2;
  let count = 0;
  let px = new Float32Array();
  let py = new Float32Array();
  let label = new Uint8Array();
  let part = new Uint8Array();
  let shown = new Uint8Array();
  let error = new Uint8Array();
  let support = new Uint8Array();
  let taken = new Uint8Array();
  let outlined = false;
  let chosen = new Uint8Array();
  let rows = new Int32Array();
  /** @type {Map<number, number>} */
  let index = new Map();
  /** @type {Int32Array | null} */
  let indexed = null;
  let stamp = 0;
  const layer = createLayer();

  /**
   * Stores a value, and notes whether the glyphs have to be redrawn. Errors are drawn separately.
   * @param {Float32Array | Uint8Array} array @param {number} i @param {number} value
   */
  function put(array, i, value) {
    if (array[i] === value) return;
    array[i] = value;
    stamp++;
  }

  /** @param {number} size */
  function reserve(size) {
    if (size <= capacity) return;
    capacity = Math.ceil(size * 1.5);
    px = new Float32Array(capacity);
    py = new Float32Array(capacity);
    rows = new Int32Array(capacity);
    [label, part, shown, error, support, taken, chosen] = Array.from({ length: 7 }, () => new Uint8Array(capacity));
  }

  /**
   * @param {Pen} context @param {Uint8Array} mask @param {Which} which @param {number} wanted @param {number} test
   * @param {number} radius @param {Theme} theme
   */
  function path(context, mask, which, wanted, test, radius, theme) {
    const corners = cornersOf(wanted, theme);
    let any = false;
    context.beginPath();
    for (let i = 0; i < count; i++) {
      if (mask[i] && (which === ALL || error[i]) && label[i] === wanted && part[i] === test) {
        addGlyph(context, corners, px[i], py[i], radius);
        any = true;
      }
    }
    return any;
  }

  /** @param {Pen} context @param {Uint8Array} mask @param {Which} which @param {number} radius @param {Theme} theme */
  function drawGlyphs(context, mask, which, radius, theme) {
    for (let test = 1; test >= 0; test--) {
      for (let wanted = 0; wanted < classes; wanted++) {
        if (path(context, mask, which, wanted, test, radius, theme)) inkGlyphs(context, wanted, test === 1, radius, theme);
      }
    }
  }

  /** @param {Pen} context @param {Uint8Array} mask @param {number} radius @param {Theme} theme */
  function drawErrors(context, mask, radius, theme) {
    crossErrors(context, mask, radius, theme);
    drawGlyphs(context, mask, ONLY_ERRORS, radius, theme);
    if (outlined) outlineErrors(context, mask, radius * TAKEN_REACH, theme);
  }

  /**
   * Draws the shape of the predicted class around every error, where no regions show it.
   * @param {Pen} context @param {Uint8Array} mask @param {number} reach @param {Theme} theme
   */
  function outlineErrors(context, mask, reach, theme) {
    for (let other = 0; other < classes; other++) {
      const corners = cornersOf(other, theme);
      context.beginPath();
      for (let i = 0; i < count; i++) if (mask[i] && error[i] && taken[i] === other) addGlyph(context, corners, px[i], py[i], reach);
      inkOutline(context, other, theme);
    }
  }

  /**
   * Draws a cross behind every example on the wrong side of the boundary, or on it, so that its colour and shape stay visible.
   * @param {Pen} context @param {Uint8Array} mask @param {number} radius @param {Theme} theme
   */
  function crossErrors(context, mask, radius, theme) {
    const arm = radius * 1.55;
    context.beginPath();
    for (let i = 0; i < count; i++) {
      if (!mask[i] || !error[i]) continue;
      context.moveTo(px[i] - arm, py[i] - arm);
      context.lineTo(px[i] + arm, py[i] + arm);
      context.moveTo(px[i] - arm, py[i] + arm);
      context.lineTo(px[i] + arm, py[i] - arm);
    }
    context.lineCap = "round";
    setLine(context, Math.max(3.6, radius * 1.1), theme.halo);
    context.stroke();
    setLine(context, Math.max(1.8, radius * 0.55), theme.text);
    context.stroke();
    context.lineCap = "butt";
  }

  /** @param {Pen} context @param {Uint8Array} mask @param {number} radius @param {number} width @param {string} ink */
  function ringAll(context, mask, radius, width, ink) {
    context.beginPath();
    for (let i = 0; i < count; i++) {
      if (!mask[i] || !shown[i]) continue;
      context.moveTo(px[i] + radius, py[i]);
      context.arc(px[i], py[i], radius, 0, 2 * Math.PI);
    }
    setLine(context, width, ink);
    context.stroke();
  }

  return {
    /**
     * @param {string} split "train", "test" or "both"
     * @param {PendingEdits | null} pending edits that are drawn before the server answers
     * @param {Scene} scene @param {string} key @param {Frame} frame
     */
    place(scene, key, frame, split, pending) {
      const { arrays, plane } = scene;
      const apart = plane.kind === "distance";
      const xs = (apart ? arrays[`x:${key}`] : arrays.x) ?? NONE;
      const ys = (apart ? arrays[`y:${key}`] : arrays.y) ?? NONE;
      const margins = arrays[`margin:${key}`];
      const flags = arrays[`flag:${key}`];
      const predicted = arrays[`predicted:${key}`];
      outlined = plane.kind === "components";
      const [shiftX, scaleX] = plane.raw?.x ?? [0, 1];
      const [shiftY, scaleY] = plane.raw?.y ?? [0, 1];
      const total = xs.length;
      classes = scene.classes.length;
      const added = pending && !apart ? pending.added : [];
      reserve(total + added.length);
      for (let i = 0; i < total; i++) {
        const row = arrays.row[i];
        const moved = pending?.moved.get(row);
        const inSplit = split === "both" || (split === "test") === (arrays.part[i] === 1);
        rows[i] = row;
        put(px, i, Math.fround(frame.toX(moved ? (moved.x - shiftX) / scaleX : xs[i])));
        put(py, i, Math.fround(frame.toY(moved ? (moved.y - shiftY) / scaleY : ys[i])));
        put(label, i, pending?.flipped.has(row) ? 1 - arrays.label[i] : arrays.label[i]);
        put(part, i, arrays.part[i]);
        put(shown, i, inSplit && !pending?.dropped.has(row) ? 1 : 0);
        const wrong = margins ? margins[i] <= 0 : predicted && predicted[i] !== arrays.label[i];
        error[i] = wrong && !moved ? 1 : 0;
        support[i] = flags && flags[i] ? 1 : 0;
        taken[i] = predicted ? predicted[i] : 0;
      }
      added.forEach((point, k) => {
        const i = total + k;
        rows[i] = -1;
        put(px, i, Math.fround(frame.toX((point.x - shiftX) / scaleX)));
        put(py, i, Math.fround(frame.toY((point.y - shiftY) / scaleY)));
        put(label, i, point.label);
        put(part, i, 0);
        put(shown, i, 1);
        error[i] = support[i] = 0;
      });
      if (count !== total + added.length) stamp++;
      count = total + added.length;
      if (indexed !== arrays.row) {
        indexed = arrays.row;
        index = new Map();
        for (let i = 0; i < total; i++) index.set(rows[i], i);
      }
    },

    /** @param {Pen} context @param {number} radius @param {Theme} theme @param {boolean} rings */
    draw(context, radius, theme, rings) {
      if (count > DENSE) {
        drawDensity(context, cellsOf({ count, px, py, shown, label, error }, classes), theme);
      } else {
        layer.draw(context, [stamp, radius, theme], (under) => drawGlyphs(under, shown, ALL, radius, theme));
        drawErrors(context, shown, radius, theme);
      }
      if (rings) ringAll(context, support, radius + 2.5, Math.max(1.2, radius * 0.3), theme.text);
    },

    /**
     * Draws the chosen examples again, ringed, on the dimmed picture.
     * @param {Pen} context @param {Iterable<number>} chosenRows @param {number} radius @param {Theme} theme
     */
    emphasise(context, chosenRows, radius, theme) {
      chosen.fill(0, 0, count);
      for (const row of chosenRows) {
        const i = index.get(row);
        if (i !== undefined && shown[i]) chosen[i] = 1;
      }
      ringAll(context, chosen, radius * 1.7 + 1, Math.max(2, radius * 0.45), theme.accent);
      drawGlyphs(context, chosen, ALL, radius * 1.1, theme);
      drawErrors(context, chosen, radius * 1.1, theme);
    },

    /** Returns the index of the shown example nearest to a place, or -1. @param {number} x @param {number} y @param {number} reach */
    nearest(x, y, reach) {
      let best = -1;
      let least = reach * reach;
      for (let i = 0; i < count; i++) {
        if (!shown[i] || rows[i] < 0) continue;
        const distance = (px[i] - x) ** 2 + (py[i] - y) ** 2;
        if (distance <= least) {
          least = distance;
          best = i;
        }
      }
      return best;
    },

    /** @param {number} left @param {number} top @param {number} right @param {number} bottom */
    rowsInside(left, top, right, bottom) {
      const inside = new Set();
      for (let i = 0; i < count; i++) {
        if (shown[i] && rows[i] >= 0 && px[i] >= left && px[i] <= right && py[i] >= top && py[i] <= bottom) inside.add(rows[i]);
      }
      return inside;
    },

    /** @param {number} row */
    indexOf: (row) => index.get(row) ?? -1,
    /** @param {number} i */
    rowAt: (i) => rows[i],
    /** @param {number} i */
    xAt: (i) => px[i],
    /** @param {number} i */
    yAt: (i) => py[i],
    /** @param {number} i */
    labelAt: (i) => label[i],
    /** @param {number} i */
    isShown: (i) => i >= 0 && i < count && shown[i] === 1,
    get count() {
      return count;
    },
  };
}
