/** The threshold t on the cumulative curves: dragging, keyboard, and the values of the curves at t. */

import { crisp, setLine, strokeLine } from "../canvas/axes.js";
import { listen } from "../shell/dom.js";
import { percent, short } from "../shell/format.js";
import { createLanes, labelZero } from "./margin_axis.js";
import { chosenClass, isShown } from "../state/class_filter.js";
import { createReadout } from "./readout.js";
import { createHorizontalDrag } from "../shell/horizontal_drag.js";
import { countUpTo, readingsAt } from "../canvas/steps.js";
import { spoken } from "../shell/words.js";
import { clamp } from "../state/track.js";

/**
 * @import { Curve, Share } from "../canvas/steps.js"
 * @import { CumulativeView } from "./cumulative.js"
 */

/** @type {Split[]} */
const SPLITS = ["train", "test"];
const HOVER_REACH = 14;

/**
 * @param {CumulativeView} view
 * @param {ViewStage} stage
 */
export function attachThreshold(view, stage) {
  const { surface } = view;
  const { cover } = surface;
  const frameNow = () => /** @type {Frame} */ (view.frame); // the user is touching one
  cover.tabIndex = 0;
  cover.dataset.testid = "threshold";
  cover.classList.add("ml-drawing-threshold");
  cover.removeAttribute("aria-hidden");
  cover.setAttribute("role", "slider");
  cover.setAttribute("aria-label", "threshold t on the margin axis");
  const readout = createReadout();
  const press = createHorizontalDrag();
  let dragging = false;
  let keyed = false;

  function valueOf() {
    const given = stage.value("view.t");
    const t = given === null || given === undefined || given === "" ? 0 : Number(given);
    return Number.isFinite(t) ? t : 0;
  }

  function step() {
    const { x } = frameNow();
    return 10 ** Math.floor(Math.log10((x.high - x.low) / 50));
  }

  /** @param {number} t @param {boolean} commit */
  function set(t, commit) {
    const { x } = frameNow();
    const limited = clamp(t, x.low, x.high);
    const decimals = clamp(1 - Math.floor(Math.log10(step()) + 1e-9), 0, 12);
    const value = Number(limited.toFixed(decimals));
    stage.change({ "view.t": value === 0 ? null : String(value) }, { commit });
    view.repaint();
  }

  /** @param {Share} share */
  const shareOf = ({ count, of }) => percent(count / of);

  /** @param {Curve[]} curves @param {number} t */
  function describe(curves, t) {
    const said = readingsAt(curves, t).map((line) =>
      `${line.name} ${SPLITS.flatMap((split) => (line[split] ? [`${split} ${shareOf(line[split])}`] : [])).join(", ")}`);
    const text = spoken(`t = ${short(t, 4)}; at or below t: ${said.join("; ")}`);
    if (cover.getAttribute("aria-valuetext") === text) return;
    const { x } = frameNow();
    cover.setAttribute("aria-valuetext", text);
    cover.setAttribute("aria-valuenow", String(t));
    cover.setAttribute("aria-valuemin", String(Math.min(x.low, t)));
    cover.setAttribute("aria-valuemax", String(Math.max(x.high, t)));
  }

  /** Highlights the example whose step is nearest on the curve under the pointer. @param {Point} place */
  function hover(place) {
    const frame = frameNow();
    const scene = stage.scene;
    const t = frame.fromX(place.x);
    let best = null;
    let least = HOVER_REACH;
    for (const curve of view.curves(scene)) {
      const { ordered } = curve;
      const before = countUpTo(ordered, frame.fromX(place.x - 4)) / ordered.length;
      const after = countUpTo(ordered, frame.fromX(place.x + 4)) / ordered.length;
      const high = frame.toY(after);
      const low = frame.toY(before);
      const distance = place.y < high ? high - place.y : place.y > low ? place.y - low : 0;
      if (distance < least) {
        least = distance;
        best = curve;
      }
    }
    if (!best) {
      leave();
      return;
    }
    const at = nearestStep(scene, best, t);
    const margin = scene.arrays[`margin:${best.key}`]?.[at] ?? 0;
    const count = countUpTo(best.ordered, margin);
    const row = scene.arrays.row[at];
    if (row !== stage.selection.hover) stage.hover(row);
    const lines = [
      `${best.name}, ${best.split}`,
      `P(margin ≤ ${short(margin, 4)}) = ${count}/${best.ordered.length} = ${percent(count / best.ordered.length, 4)}`,
      `step of row ${row}`,
    ];
    surface.showTip(lines, frame.toX(margin), place.y);
  }

  /** @param {Scene} scene @param {Curve} curve @param {number} t */
  function nearestStep(scene, { key, split }, t) {
    const margins = scene.arrays[`margin:${key}`] ?? [];
    let best = 0;
    let least = Infinity;
    const chosen = chosenClass(stage);
    for (let i = 0; i < margins.length; i++) {
      const distance = Math.abs(margins[i] - t);
      if (distance < least && isShown(scene, i, chosen) && (scene.arrays.part[i] === 1) === (split === "test")) {
        least = distance;
        best = i;
      }
    }
    return best;
  }

  function leave() {
    surface.hideTip();
    if (stage.selection.hover !== null) stage.hover(null);
  }

  const listeners = {
    /** @param {PointerEvent} event */
    pointerdown(event) {
      if (event.button !== 0 || !view.frame || !stage.scene) return;
      const place = surface.at(event);
      if (place.y > view.frame.bottom + 8) return;
      dragging = true;
      leave();
      cover.setPointerCapture(event.pointerId);
      press.begin(event);
      if (press.follows(event)) set(frameNow().fromX(place.x), false);
    },
    /** @param {PointerEvent} event */
    pointermove(event) {
      if (!view.frame || !stage.scene) return;
      const place = surface.at(event);
      if (dragging) press.follows(event) && set(frameNow().fromX(place.x), false);
      else if (frameNow().holds(place.x, place.y)) hover(place);
      else leave();
    },
    /** @param {PointerEvent} event */
    pointerup(event) {
      if (!dragging) return;
      dragging = false;
      set(frameNow().fromX(surface.at(event).x), true);
    },
    pointercancel() {
      dragging = false;
      stage.change({}, { commit: true });
    },
    pointerleave() {
      if (!dragging) leave();
    },
    /** @param {KeyboardEvent} event */
    keydown(event) {
      if (!view.frame || event.ctrlKey || event.metaKey || event.altKey) return;
      const one = step() * (event.shiftKey ? 10 : 1);
      const { x } = frameNow();
      const t = valueOf();
      /** @type {{[key: string]: number}} */
      const targets = {
        ArrowLeft: t - one, ArrowDown: t - one, ArrowRight: t + one, ArrowUp: t + one,
        PageDown: t - 10 * one, PageUp: t + 10 * one, Home: x.low, End: x.high,
      };
      if (!(event.key in targets)) return;
      event.preventDefault();
      event.stopPropagation();
      keyed = true;
      set(targets[event.key], false);
    },
    keyup() {
      if (keyed) set(valueOf(), true);
      keyed = false;
    },
  };

  const unlisten = listen(cover, listeners);

  /**
   * Draws the value of t on a flag above the line, and the label of margin zero beside it.
   * @param {Pen} context @param {number} x @param {number} t @param {Theme} theme
   */
  function paintFlag(context, x, t, theme) {
    const { type } = surface;
    const frame = frameNow();
    const lanes = createLanes(1, type.line, 1, frame.left, frame.right);
    const words = `${t < frame.x.low ? "◂ " : ""}t = ${short(t, 4)}${t > frame.x.high ? " ▸" : ""}`;
    context.font = type.boldFont;
    const wide = context.measureText(words).width + type.small;
    const place = lanes.place(x, x, wide);
    if (!place) return;
    context.fillStyle = theme.accent;
    context.beginPath();
    context.roundRect(place.x, 1, wide, type.line + 1, 4);
    context.moveTo(x - 5, type.line + 1.5);
    context.lineTo(x + 5, type.line + 1.5);
    context.lineTo(x, frame.top + 1);
    context.fill();
    context.fillStyle = theme.background;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(words, place.x + type.small / 2, place.y + 1);
    labelZero(context, frame, lanes, type, theme);
  }

  return {
    /** @param {Scene} scene @param {Curve[]} curves @param {Theme} theme */
    paint(scene, curves, theme) {
      const { overlay: context, type } = surface;
      const frame = frameNow();
      const t = valueOf();
      const x = crisp(frame.toX(clamp(t, frame.x.low, frame.x.high)) - 0.5);
      describe(curves, t);
      setLine(context, type.projector ? 3 : 2, theme.accent);
      strokeLine(context, x, frame.top - 2, x, frame.bottom);
      paintFlag(context, x, t, theme);
      context.beginPath();
      for (const { ordered } of curves) {
        const y = frame.toY(countUpTo(ordered, t) / ordered.length);
        context.moveTo(x + 3.5, y);
        context.arc(x, y, 3.5, 0, 2 * Math.PI);
      }
      context.fillStyle = theme.accent;
      context.fill();
      readout.paint(context, frame, curves, t, type, theme);
    },
    destroy: unlisten,
  };
}
