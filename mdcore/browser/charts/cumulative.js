/**
 * Cumulative frequency against margin: exact steps, solid for training, dashed for test, and a draggable threshold.
 *
 * @typedef {ReturnType<typeof createCumulative>} CumulativeView
 */

import { OVERHANG, clipTo, createFrame, drawGrid, drawXAxis, drawYAxis, niceStep, setFont, setLine, strokeDashed } from "../canvas/axes.js";
import { percent, short } from "../shell/format.js";
import { paintNumber } from "../canvas/ghosts.js";
import { marginLabel, paintZero, roomBefore, splitsShown, tellAxis } from "./margin_axis.js";
import { EVERY_CLASS, chosenClass, classWords, curveOf, isShown } from "../state/class_filter.js";
import { paintReach } from "../canvas/reach.js";
import { countUpTo, stepPath } from "../canvas/steps.js";
import { createChangeDetector, createSurface } from "../canvas/surface.js";
import { ghostInk, lineInk } from "../shell/theme.js";
import { attachThreshold } from "./threshold.js";
import { spoken } from "../shell/words.js";
import { clamp } from "../state/track.js";

/**
 * @import { Curve } from "../canvas/steps.js"
 */

const DASH = [6, 4];
const NONE = new Float64Array();

/**
 * @param {HTMLElement} host
 * @param {ViewStage} stage
 */
export function createCumulative(host, stage) {
  const surface = createSurface(host, stage);
  const baseChanged = createChangeDetector();
  /** The frame of the curves, or null if there is no room for it. @type {Frame | null} */
  let room = null;
  const frameNow = () => /** @type {Frame} */ (room); // set before anything is painted

  /** @param {Scene} scene @param {Split[]} splits */
  const curvesOf = (scene, splits) =>
    scene.panels.flatMap(({ key, name, color }) => splits.flatMap((split) => {
      const ordered = curveOf(scene, key, split, chosenClass(stage));
      return ordered?.length ? [{ key, name, color, split, ordered }] : [];
    }));

  /** @param {Scene} scene */
  function layOut(scene) {
    const { type, base, width, height } = surface;
    const { edges } = scene.histogram;
    const above = type.line + 6; // for the flag of the threshold
    const below = 2 * type.line + 4;
    const before = roomBefore(base, scene, type);
    const wide = width - before - OVERHANG;
    const high = height - above - below;
    const x = { low: edges[0], high: edges[edges.length - 1] };
    room = wide < 20 || high < 20 ? null : createFrame(before, above, wide, high, x, { low: 0, high: 1 });
  }

  /** @param {Pen} context @param {ArrayLike<number>} ordered @param {Split} split @param {string} ink @param {number} width */
  function strokeCurve(context, ordered, split, ink, width) {
    context.beginPath();
    stepPath(context, frameNow(), ordered);
    setLine(context, width, ink);
    strokeDashed(context, split === "test" ? DASH : []);
  }

  /**
   * Returns the place for the number of a pinned curve: as near to `share` as the other numbers allow.
   * @param {ArrayLike<number>} ordered @param {number} share @param {Point[]} taken
   */
  function numberPlace(ordered, share, taken) {
    const frame = frameNow();
    const clear = 1.5 * surface.type.small;
    for (const height of [share, share - 0.2, share + 0.1, share - 0.35]) {
      const x = frame.toX(ordered[Math.floor(height * (ordered.length - 1))]);
      const y = frame.toY(height);
      if (frame.holds(x, y) && taken.every((other) => Math.hypot(x - other.x, y - other.y) > clear)) return { x, y };
    }
    return null;
  }

  /** @param {Pen} context @param {Scene} scene @param {Split[]} splits @param {Theme} theme */
  function paintGhosts(context, scene, splits, theme) {
    const { type } = surface;
    setFont(context, type.boldFont, "center", "middle");
    /** @type {Point[]} */
    const taken = [];
    for (const pin of scene.pins ?? []) {
      const slot = pin.slot.slice(-1);
      for (const { key, color } of chosenClass(stage) === EVERY_CLASS ? pin.panels : []) {
        const ink = ghostInk(color, theme);
        const found = splits.map((split) => ({ split, ordered: scene.arrays[`pin${slot}:curve:${key}:${split}`] ?? NONE })).filter(({ ordered }) => ordered.length);
        for (const { split, ordered } of found) strokeCurve(context, ordered, split, ink, 1.3);
        if (!found.length) continue;
        const place = numberPlace(found[0].ordered, 0.9 - 0.12 * Number(slot), taken);
        if (!place) continue;
        taken.push(place);
        paintNumber(context, slot, place, type.small * 0.65, 1.3, ink, theme);
      }
    }
  }

  function turnedLabel() {
    const full = "P(margin ≤ t)";
    return surface.base.measureText(full).width <= frameNow().height ? full : "P(≤ t)";
  }

  /** @param {Scene} scene @param {Curve[]} curves @param {Split[]} splits @param {Theme} theme */
  function paintBase(scene, curves, splits, theme) {
    const frame = frameNow();
    const { base: context, type } = surface;
    const xStep = niceStep(frame.x.high - frame.x.low, clamp(frame.width / (3.3 * type.small), 2, 10));
    const yStep = frame.height > 7 * type.line ? 0.25 : 0.5;
    drawGrid(context, frame, xStep, yStep, theme);
    clipTo(context, { left: frame.left, top: frame.top - 2, width: frame.width, height: frame.height + 4 });
    paintZero(context, frame, theme, type);
    context.lineJoin = "miter";
    paintGhosts(context, scene, splits, theme);
    const wide = type.projector ? 3.4 : 2.4;
    for (const { ordered, split, color } of curves) strokeCurve(context, ordered, split, lineInk(color, theme), split === "test" ? wide * 0.8 : wide);
    context.restore();
    context.font = type.smallFont;
    const label = marginLabel(scene, frame.right, context);
    drawXAxis(context, frame, { step: xStep, label, inline: false }, type, theme);
    /** @param {number} share */
    const shareText = (share) => `${Math.round(100 * share)} %`;
    drawYAxis(context, frame, { step: yStep, label: turnedLabel(), inline: false, text: shareText }, type, theme);
  }

  /**
   * Draws chosen and hovered examples as dots on their steps.
   * @param {Pen} context @param {Scene} scene @param {Curve[]} curves @param {Theme} theme
   */
  function paintExamples(context, scene, curves, theme) {
    const frame = frameNow();
    const { rows, hover } = stage.selection;
    if (!rows.size && hover === null) return;
    const { row, part } = scene.arrays;
    const radius = surface.type.projector ? 5 : 3.5;
    const ofClass = chosenClass(stage);
    for (const { key, split, color, ordered } of curves) {
      const margins = scene.arrays[`margin:${key}`] ?? NONE;
      /** @param {(row: number) => boolean} wanted @param {number} reach @param {string} fill @param {string} edge */
      const dots = (wanted, reach, fill, edge) => {
        context.beginPath();
        for (let i = 0; i < margins.length; i++) {
          if (!wanted(row[i]) || (part[i] === 1) !== (split === "test") || !isShown(scene, i, ofClass)) continue;
          const x = frame.toX(margins[i]);
          const y = frame.toY(countUpTo(ordered, margins[i]) / ordered.length);
          context.moveTo(x + reach, y);
          context.arc(x, y, reach, 0, 2 * Math.PI);
        }
        context.fillStyle = fill;
        context.fill();
        setLine(context, 1.5, edge);
        context.stroke();
      };
      if (rows.size) dots((candidate) => rows.has(candidate), radius, split === "test" ? theme.halo : lineInk(color, theme), theme.text);
      const at = hover === null ? -1 : row.indexOf(hover);
      if (at >= 0 && (part[at] === 1) === (split === "test") && isShown(scene, at, ofClass)) {
        const level = frame.toY(countUpTo(ordered, margins[at]) / ordered.length);
        paintReach(surface.overlay, { x: frame.toX(margins[at]), y: level }, { x: frame.toX(0), y: level }, theme, surface.type.projector);
      }
      if (hover !== null) dots((candidate) => candidate === hover, radius * 1.6, theme.accent, theme.halo);
    }
  }

  /** @param {Scene} scene @param {Curve[]} curves */
  function summary(scene, curves) {
    const parts = curves.map(({ name, split, ordered }) => {
      const errors = countUpTo(ordered, 0);
      return `${name} ${split}: ${percent(errors / ordered.length)} at or below 0, from ${short(ordered[0])} to ${short(ordered[ordered.length - 1])}`;
    });
    const whose = classWords(scene, chosenClass(stage));
    return spoken(`Cumulative ${scene.values.scale} margins${whose && ` of ${whose}`}. ${parts.join("; ")}.`);
  }

  const view = {
    surface,
    get frame() {
      return room;
    },
    /** @param {Scene} scene */
    curves: (scene) => curvesOf(scene, splitsShown(stage)),
    /** @param {Scene} scene */
    draw(scene) {
      if (!surface.ready()) return;
      const theme = stage.theme;
      const splits = splitsShown(stage);
      const curves = curvesOf(scene, splits);
      if (baseChanged(scene, theme, surface.type, splits.join(), chosenClass(stage))) {
        surface.base.clearRect(0, 0, surface.width, surface.height);
        layOut(scene);
        if (room) paintBase(scene, curves, splits, theme);
        tellAxis(host, scene);
        surface.describe(curves.length ? summary(scene, curves) : "Cumulative margins: no method has a result.");
      }
      surface.overlay.clearRect(0, 0, surface.width, surface.height);
      if (!room) return;
      clipTo(surface.overlay, { left: room.left - 6, top: 0, width: room.width + 12, height: surface.height });
      paintExamples(surface.overlay, scene, curves, theme);
      surface.overlay.restore();
      threshold.paint(scene, curves, theme);
    },
    repaint: () => stage.scene && view.draw(stage.scene),
    resize: () => surface.measure(),
    destroy() {
      threshold.destroy();
      surface.destroy();
    },
  };
  const threshold = attachThreshold(view, stage);
  return view;
}
