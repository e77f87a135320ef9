/**
 * Histograms of the margins of every method on a common axis; with more than two methods, one row each.
 *
 * @typedef {ReturnType<typeof createHistogram>} HistogramView
 * @typedef {{panels: Panel[], headlines: number, frame: Frame}} HistogramRow
 */

import { OVERHANG, clipTo, createFrame, drawGrid, drawXAxis, drawYAxis, inkText, niceStep, setFont, setLine, strokeDashed, strokeLine } from "../canvas/axes.js";
import { OVERLAID, createLanes, labelMarks, labelZero, marginLabel, paintMarks, paintZero, roomBefore, splitsShown, tellAxis } from "./margin_axis.js";
import { attachRangeBrush } from "./range_brush.js";
import { EVERY_CLASS, chosenClass, countsOf, isShown } from "../state/class_filter.js";
import { paintReach } from "../canvas/reach.js";
import { binSteps } from "../canvas/steps.js";
import { createChangeDetector, createSurface } from "../canvas/surface.js";
import { ghostInk, lineInk, wordInk } from "../shell/theme.js";
import { thousands } from "../shell/format.js";
import { histogramSummary } from "../shell/words.js";
import { clamp } from "../state/track.js";

/** @param {Scene} scene @param {Panel[]} panels @param {Split[]} splits @param {number} chosen */
function highestCount(scene, panels, splits, chosen) {
  let highest = 1;
  for (const { key } of panels) {
    for (const split of splits) for (const count of countsOf(scene, key, split, chosen) ?? []) highest = Math.max(highest, count);
    for (const { slot } of chosen === EVERY_CLASS ? (scene.pins ?? []) : []) {
      for (const count of scene.arrays[`pin${slot.slice(-1)}:count:${key}:${splits[0]}`] ?? []) highest = Math.max(highest, count);
    }
  }
  return highest;
}

/**
 * @param {HTMLElement} host
 * @param {ViewStage} stage
 */
export function createHistogram(host, stage) {
  const surface = createSurface(host, stage);
  const baseChanged = createChangeDetector();
  /** The frame and the panels of each row. @type {HistogramRow[]} */
  let rows = [];
  let xStep = 1;
  let yStep = 1;
  let highest = 1;
  let overlaid = false;

  /** @param {Scene} scene @param {Panel[]} panels @param {Split[]} splits */
  function layOut(scene, panels, splits) {
    const { type, base, width, height } = surface;
    const { edges } = scene.histogram;
    const x = { low: edges[0], high: edges[edges.length - 1] };
    const apart = panels.length > OVERLAID;
    const groups = apart ? panels.map((panel) => [panel]) : [panels];
    const legend = type.line + 2;
    const gap = apart ? 4 : 0;
    const room = (height - legend - 2 * type.line - 4) / groups.length - gap;
    const headlines = clamp(Math.floor((0.45 * room) / type.line), 0, 3);
    const head = headlines * type.line + 3; // labels are above the bars
    highest = Math.max(scene.histogram.held ? highest : 1, highestCount(scene, panels, splits, chosenClass(stage)));
    const y = { low: 0, high: (highest * room) / (room - head) };
    const before = roomBefore(base, scene, type);
    const roomy = niceStep(highest, Math.max(1, Math.floor(room / (2.2 * type.small))));
    yStep = Math.max(1, Math.min(roomy, niceStep(highest / 2.5, 1))); // at least one tick above 0
    const wide = width - before - OVERHANG;
    xStep = niceStep(x.high - x.low, clamp(wide / (3.3 * type.small), 2, 10));
    rows = wide < 20 || room < 12 ? [] : groups.map((group, i) => ({
      panels: group,
      headlines,
      frame: createFrame(before, legend + i * (room + gap), wide, room, x, y),
    }));
  }

  /**
   * Names the methods above a shared frame; separate rows have their names beside them, and their height as text.
   * @param {Pen} context @param {Scene} scene @param {Panel[]} panels @param {Split[]} splits @param {Theme} theme
   */
  function paintLegend(context, scene, panels, splits, theme) {
    const { type } = surface;
    const { frame } = rows[0];
    const y = type.line / 2;
    const swatch = 1.6 * type.small;
    const named = rows.length === 1 ? panels : [];
    const parts = splits.filter((part) => scene.split[part] > 0);
    let wide = -type.small;
    context.font = type.smallFont;
    for (const part of parts) wide += swatch + 5 + context.measureText(part).width + type.small;
    context.font = type.boldFont;
    const width = (/** @type {string[]} */ texts) =>
      texts.reduce((sum, text) => sum + context.measureText(text).width + type.small, wide);
    const whole = named.map(({ name }) => name);
    const names = width(whole) <= surface.width ? whole : whole.map((name) => name.split(",")[0]); // the panels show the rest
    wide = width(names);
    let x = clamp(surface.width - wide, 0, frame.left); // further left if it would be cut off
    setFont(context, type.boldFont, "left", "middle");
    named.forEach(({ color }, i) => {
      inkText(context, names[i], x, y, wordInk(color, theme));
      x += context.measureText(names[i]).width + type.small;
    });
    context.font = type.smallFont;
    for (const split of parts) {
      context.setLineDash(split === "test" ? [5, 3] : []);
      setLine(context, 2.2, theme.muted);
      strokeLine(context, x, y, x + swatch, y);
      context.setLineDash([]);
      inkText(context, split, x + swatch + 5, y, theme.text);
      x += swatch + 5 + context.measureText(split).width + type.small;
    }
    if (rows.length === 1) return;
    const height = `highest bar ${thousands(highest)} examples`;
    context.textAlign = "right";
    context.fillStyle = theme.muted;
    if (x + context.measureText(height).width < frame.right) context.fillText(height, frame.right, y);
  }

  /** @param {Pen} context @param {Scene} scene @param {HistogramRow} row @param {Split[]} splits @param {Theme} theme */
  function paintCounts(context, scene, { panels, frame }, splits, theme) {
    const { edges } = scene.histogram;
    const wide = surface.type.projector ? 3 : 2;
    const chosen = chosenClass(stage);
    for (const { key, color } of panels) {
      const train = splits.includes("train") && countsOf(scene, key, "train", chosen);
      const test = splits.includes("test") && countsOf(scene, key, "test", chosen);
      context.fillStyle = context.strokeStyle = lineInk(color, theme);
      context.lineJoin = "miter";
      if (train) {
        binSteps(context, frame, edges, train);
        context.globalAlpha = 0.22;
        context.fill();
        context.globalAlpha = 1;
        context.lineWidth = wide;
        context.stroke();
      }
      if (test) {
        binSteps(context, frame, edges, test);
        context.lineWidth = wide * 0.8;
        strokeDashed(context, [5, 3]);
      }
    }
  }

  /**
   * Draws the outlines of pinned histograms.
   * @param {Pen} context @param {Scene} scene @param {HistogramRow} row @param {Split[]} splits @param {Theme} theme
   */
  function paintGhosts(context, scene, { panels, frame }, splits, theme) {
    if (chosenClass(stage) !== EVERY_CLASS) return;
    context.lineWidth = 1.5;
    for (const { slot } of scene.pins ?? []) {
      for (const { key, color } of panels) {
        const counts = scene.arrays[`pin${slot.slice(-1)}:count:${key}:${splits[0]}`];
        if (!counts) continue;
        binSteps(context, frame, scene.histogram.edges, counts);
        context.strokeStyle = ghostInk(color, theme);
        strokeDashed(context, [2, 3]);
      }
    }
  }

  /** @param {Scene} scene @param {Panel[]} panels @param {Split[]} splits @param {Theme} theme */
  function paintBase(scene, panels, splits, theme) {
    const { base: context, type } = surface;
    layOut(scene, panels, splits);
    if (!rows.length) return;
    paintLegend(context, scene, panels, splits, theme);
    rows.forEach((row, i) => {
      const { frame, headlines } = row;
      drawGrid(context, frame, xStep, 0, theme);
      clipTo(context, { left: frame.left, top: frame.top, width: frame.width, height: frame.height + 1 });
      for (const panel of row.panels) paintMarks(context, panel.marks, frame, lineInk(panel.color, theme), type);
      paintZero(context, frame, theme, type);
      paintCounts(context, scene, row, splits, theme);
      paintGhosts(context, scene, row, splits, theme);
      context.restore();
      setLine(context, 1, theme.frame);
      strokeLine(context, frame.left, Math.round(frame.bottom) + 0.5, frame.right, Math.round(frame.bottom) + 0.5);
      const lanes = createLanes(frame.top + 1, type.line, headlines, frame.left, frame.right);
      if (i === 0) labelZero(context, frame, lanes, type, theme);
      for (const panel of row.panels) labelMarks(context, panel.marks, frame, lanes, wordInk(panel.color, theme), type, theme);
      if (rows.length > 1) nameRow(context, row, theme);
    });
    const { frame } = rows[rows.length - 1];
    if (rows.length === 1) drawYAxis(context, frame, { step: yStep, label: "examples", inline: false, highest, text: thousands }, type, theme);
    context.font = type.smallFont;
    const label = marginLabel(scene, frame.right, context);
    drawXAxis(context, frame, { step: xStep, label, inline: false }, type, theme);
  }

  /** @param {Pen} context @param {HistogramRow} row @param {Theme} theme */
  function nameRow(context, { panels: [{ name, color }], frame }, theme) {
    setFont(context, surface.type.boldFont, "right", "bottom");
    inkText(context, name, frame.left - 6, frame.bottom, wordInk(color, theme));
  }

  /**
   * Draws the marked examples as ticks on the axis, in a strip for each method.
   * @param {Pen} context @param {Scene} scene @param {Theme} theme
   */
  function paintRug(context, scene, theme) {
    const { rows: chosen, hover } = stage.selection;
    const reach = surface.type.projector ? 14 : 10;
    const ofClass = chosenClass(stage);
    for (const { panels, frame } of rows) {
      panels.forEach(({ key, color }, strip) => {
        const margins = scene.arrays[`margin:${key}`];
        if (!margins) return;
        const bottom = frame.bottom - strip * (reach + 1);
        /** @param {(row: number) => boolean} wanted @param {number} length @param {number} width @param {string} ink */
        const ticks = (wanted, length, width, ink) => {
          context.beginPath();
          for (let i = 0; i < margins.length; i++) {
            if (!wanted(scene.arrays.row[i]) || !isShown(scene, i, ofClass)) continue;
            const x = frame.toX(margins[i]);
            context.moveTo(x, bottom);
            context.lineTo(x, bottom - length);
          }
          setLine(context, width, ink);
          context.stroke();
        };
        if (chosen.size) {
          ticks((row) => chosen.has(row), reach, 3.2, theme.halo);
          ticks((row) => chosen.has(row), reach, 1.8, wordInk(color, theme));
        }
        if (hover !== null) {
          ticks((row) => row === hover, reach * 1.8, 6, theme.halo);
          ticks((row) => row === hover, reach * 1.8, 3.5, theme.accent);
          const at = scene.arrays.row.indexOf(hover);
          if (at >= 0 && isShown(scene, at, ofClass)) {
            const level = bottom - 0.9 * reach;
            paintReach(context, { x: frame.toX(margins[at]), y: level }, { x: frame.toX(0), y: level }, theme, surface.type.projector);
          }
        }
      });
    }
  }

  const view = {
    surface,
    get rows() {
      return rows;
    },
    /** @param {Scene} scene */
    draw(scene) {
      if (!surface.ready()) return;
      const theme = stage.theme;
      const splits = splitsShown(stage);
      const panels = scene.panels.filter(({ key }) => scene.arrays[`margin:${key}`]);
      if (baseChanged(scene, theme, surface.type, splits.join(), chosenClass(stage))) {
        surface.base.clearRect(0, 0, surface.width, surface.height);
        rows = [];
        if (panels.length) paintBase(scene, panels, splits, theme);
        tellAxis(host, scene);
        surface.describe(panels.length ? histogramSummary(scene, panels, splits, chosenClass(stage)) : "Histogram of margins: no method has a result.");
      }
      const before = overlaid;
      overlaid = stage.selection.rows.size > 0 || stage.selection.hover !== null || brush.visible;
      if (!before && !overlaid) return;
      surface.overlay.clearRect(0, 0, surface.width, surface.height);
      paintRug(surface.overlay, scene, theme);
      brush.paint(surface.overlay, theme);
    },
    repaint: () => stage.scene && view.draw(stage.scene),
    resize: () => surface.measure(),
    destroy() {
      brush.destroy();
      surface.destroy();
    },
  };
  const brush = attachRangeBrush(view, stage);
  return view;
}
