/** The common parts of the histogram and the cumulative curves: the margin axis, and parameters drawn where they act. */

import { crisp, haloText, setFont, setLine, strokeLine } from "../canvas/axes.js";
import { short } from "../shell/format.js";
import { clamp } from "../state/track.js";

/**
 * @typedef {ReturnType<typeof createLanes>} Lanes
 */

/** What the axis shows, by scale: for two classes, and for several, from long to short. */
const SHOWN = {
  functional: [["margin y f(x)"], ["margin: lead of the true class over every other", "lead of the true class"]],
  geometric: [["margin y f(x) / ‖w‖"], ["margin: distance to the nearest boundary of the class", "distance to the nearest boundary"]],
};

/**
 * Returns what the axis shows, with the methods whose margins count votes, in the longest words for which there is room.
 * @param {Scene} scene @param {number} room @param {Pen} context
 */
export function marginLabel(scene, room, context) {
  const scale = scene.values.scale === "functional" ? "functional" : "geometric";
  const voting = scene.panels.filter(({ votes }) => votes).map(({ name }) => name).join(", ");
  const words = [...SHOWN[scale][scene.classes.length > 2 ? 1 : 0], "margin"].map((label) => `${label} (${scale})`);
  const labels = voting ? [...words.map((label) => `${label}; ${voting}: share of votes`), `${words[words.length - 1]}; ${voting}: votes`] : words;
  return labels.find((label) => context.measureText(label).width <= room) ?? labels[labels.length - 1];
}

/**
 * Writes the ends of the current margin axis into an attribute, for readers of the page such as tests.
 * @param {HTMLElement} host @param {Scene} scene
 */
export function tellAxis(host, { histogram: { edges } }) {
  host.dataset.axis = `${edges[0]},${edges[edges.length - 1]}`;
}

/** With more methods than this, each has its own row. */
export const OVERLAID = 2;

/**
 * Returns the width left of the axis, the same in both charts, so that equal margins are above each other.
 * @param {Pen} context @param {Scene} scene @param {Type} type
 */
export function roomBefore(context, scene, type) {
  const drawn = scene.panels.filter(({ key }) => scene.arrays[`margin:${key}`]);
  context.font = type.boldFont;
  const names = drawn.length > OVERLAID ? Math.max(...drawn.map(({ name }) => context.measureText(name).width)) : 0;
  context.font = type.smallFont;
  return Math.ceil(Math.max(names, context.measureText("100 %").width + type.line)) + 8;
}

/** @param {ViewStage} stage @returns {Split[]} */
export const splitsShown = (stage) => {
  const split = stage.value("view.split") || "both";
  return split === "both" ? ["train", "test"] : [split];
};

/** A label farther than this from its mark could be taken for another mark's. */
const FARTHEST = 30;

/**
 * Creates lanes that assign places to labels on a few lines, first come, first served.
 * @param {number} top @param {number} lineHeight @param {number} count @param {number} left @param {number} right
 */
export function createLanes(top, lineHeight, count, left, right) {
  /** @type {[number, number][][]} */
  const taken = Array.from({ length: count }, () => []);
  /** @param {number} lane @param {number} from @param {number} to */
  const free = (lane, from, to) => taken[lane].every(([a, b]) => to < a || from > b);
  return {
    /**
     * Returns a place centred on `from`..`to`, else inside its right or left end, else beside it, else beside other labels.
     * @param {number} from
     * @param {number} to
     * @param {number} wide
     * @returns {Point | null} left end and middle height, or null if no line has room
     */
    place(from, to, wide) {
      const clear = Math.max(5, 0.4 * lineHeight);
      const starts = [(from + to - wide) / 2];
      if (to - from > wide + 2 * clear) starts.push(to - wide - clear, from + clear);
      starts.push(to + clear, from - wide - clear);
      const beside = taken.flat().flatMap(([a, b]) => [b + 2 * clear + 1, a - wide - 2 * clear - 1]);
      /** @param {number} x */
      const gap = (x) => Math.max(x - to, from - (x + wide));
      for (const start of [...starts, ...beside.filter((x) => gap(x) < FARTHEST)]) {
        const x = clamp(start, left, right - wide);
        for (let lane = 0; lane < count; lane++) {
          if (!free(lane, x - clear, x + wide + clear)) continue;
          taken[lane].push([x, x + wide]);
          return { x, y: top + (lane + 0.5) * lineHeight };
        }
      }
      return null;
    },
  };
}

/**
 * Draws bands and lines, before the curves so that they hide none.
 * @param {Pen} context @param {Mark[]} marks @param {Frame} frame @param {string} ink @param {Type} type
 */
export function paintMarks(context, marks, frame, ink, type) {
  const thick = type.projector ? 3 : 2;
  for (const mark of marks) {
    const strength = mark.strength ?? 1;
    const from = frame.toX(Math.max(frame.x.low, mark.low));
    const to = frame.toX(Math.min(frame.x.high, mark.high));
    if (to < frame.left || from > frame.right) continue;
    context.fillStyle = context.strokeStyle = ink;
    if (mark.low < mark.high) {
      context.globalAlpha = 0.2 * clamp(strength, 0.25, 1);
      context.fillRect(from, frame.top, to - from, frame.height);
      continue;
    }
    context.globalAlpha = clamp(strength, 0.4, 1);
    context.setLineDash([7, 3]);
    context.lineWidth = thick;
    strokeLine(context, crisp(from), frame.top, crisp(from), frame.bottom);
    context.setLineDash([]);
  }
  context.globalAlpha = 1;
}

/** Returns a mark's label with its value, unless it states it, like "hinge at y f = 1". @param {Mark} mark @param {number} value */
function placed({ label, stated }, value) {
  const place = short(value);
  return typeof stated === "number" && short(stated) === place ? label : `${label}: ${place}`;
}

/**
 * Draws labels, after the curves. A mark outside the window is named at its edge, with its value.
 * @param {Pen} context @param {Mark[]} marks @param {Frame} frame @param {Lanes} lanes @param {string} ink
 * @param {Type} type @param {Theme} theme
 */
export function labelMarks(context, marks, frame, lanes, ink, type, theme) {
  setFont(context, type.boldFont, "left", "middle");
  for (const mark of marks) {
    if (!mark.label) continue;
    /** @param {number} value */
    const onAxis = (value) => frame.toX(clamp(value, frame.x.low, frame.x.high));
    let words = mark.label;
    if (mark.low > frame.x.high) words = `${placed(mark, mark.low)} ▸`;
    else if (mark.high < frame.x.low) words = `◂ ${placed(mark, mark.high)}`;
    const wide = context.measureText(words).width;
    const place = lanes.place(onAxis(mark.low), onAxis(mark.high), wide);
    if (place) haloText(context, words, place.x, place.y, ink, theme.halo);
  }
}

/** Draws the line of margin zero, the boundary. @param {Pen} context @param {Frame} frame @param {Theme} theme @param {Type} type */
export function paintZero(context, frame, theme, type) {
  const x = frame.toX(0);
  if (x < frame.left || x > frame.right) return;
  setLine(context, type.projector ? 2.5 : 1.5, theme.text);
  strokeLine(context, crisp(x), frame.top, crisp(x), frame.bottom);
}

/** @param {Pen} context @param {Frame} frame @param {Lanes} lanes @param {Type} type @param {Theme} theme */
export function labelZero(context, frame, lanes, type, theme) {
  const x = frame.toX(0);
  if (x < frame.left || x > frame.right) return;
  setFont(context, type.smallFont, "left", "middle");
  const place = lanes.place(x, x, context.measureText("boundary").width);
  if (place) haloText(context, "boundary", place.x, place.y, theme.text, theme.halo);
}
