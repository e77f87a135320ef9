/** The training margins for every number of classes: small histograms on a common axis. */

import { createFrame, crisp, inkText, setFont, setLine, shorten, strokeLine } from "../canvas/axes.js";
import { short } from "../shell/format.js";
import { createPlainChart, paintMissing, paintNames } from "./plain_chart.js";
import { lineInk } from "../shell/theme.js";

/**
 * @typedef {{classes: number, known: boolean, now: boolean, frame: Frame}} Cell
 */

const NARROWEST = 84; // of a small picture; narrower ones are arranged in more rows

/** @param {HTMLElement} host @param {ViewStage} stage */
export const createMoreClasses = (host, stage) => createPlainChart(host, stage, paint);

/** Returns the panels of the methods in `growth`, except voting ones, whose margins have another unit. @param {ClassScene} scene */
const drawnPanels = ({ panels, growth: { numbers } }) => panels.filter(({ key }) =>
  numbers.some(({ methods }) => methods[key]) && !numbers.some(({ methods }) => methods[key]?.votes));

/** @param {Surface} surface @param {ClassScene} scene @param {Theme} theme */
function paint(surface, scene, theme) {
  const { growth } = scene;
  if (!growth.numbers.length) return "";
  const panels = drawnPanels(scene);
  if (!panels.length) return paintMissing(surface, "Votes are not in the unit of margins: show another method.", theme);
  paintHead(surface, panels, growth, theme);
  for (const cell of layOut(surface, scene, panels)) paintCell(surface, scene, panels, cell, theme);
  return summary(scene, panels);
}

/** @param {Surface} surface @param {ClassScene} scene @param {Panel[]} panels */
function layOut({ type, width, height }, { growth, arrays }, panels) {
  const { edges, numbers } = growth;
  const gap = Math.round(0.6 * type.small);
  const above = type.line + 3;
  const rows = Math.min(3, Math.ceil((numbers.length * NARROWEST) / width));
  const columns = Math.ceil(numbers.length / rows);
  const wide = (width - gap * (columns - 1)) / columns;
  const high = (height - above - 4) / rows;
  const x = { low: edges[0], high: edges[edges.length - 1] };
  const shares = panels.flatMap(({ key }) => numbers.flatMap(({ classes }) => [...(arrays[`share:${key}:${classes}`] ?? [])]));
  const y = { low: 0, high: 1.05 * Math.max(...shares) };
  if (wide < 24 || high < 2.5 * type.line) return [];
  return numbers.map(({ classes, methods }, i) => ({
    classes, known: Object.keys(methods).length > 0, now: classes === growth.now,
    frame: createFrame((i % columns) * (wide + gap), above + Math.floor(i / columns) * high + type.line, wide, high - type.line - 5, x, y),
  }));
}

/** @param {Surface} surface @param {Panel[]} panels @param {Growth} growth @param {Theme} theme */
function paintHead(surface, panels, growth, theme) {
  const { base: context, type, width } = surface;
  const x = paintNames(surface, panels, 0, theme);
  context.font = type.smallFont;
  context.fillStyle = theme.muted;
  const words = growth.waits ? "missing: slow to fit, drawn once you choose that number of classes" : "shares of training examples";
  if (x + type.line < width) context.fillText(shorten(context, words, width - x), x, type.line / 2);
}

/** @param {Surface} surface @param {ClassScene} scene @param {Panel[]} panels @param {Cell} cell @param {Theme} theme */
function paintCell({ base: context, type }, scene, panels, { classes, known, now, frame }, theme) {
  setLine(context, now ? 2.5 : 1, now ? theme.accent : theme.rule);
  context.strokeRect(frame.left + 0.5, frame.top + 0.5, frame.width - 1, frame.height - 1);
  setFont(context, now ? type.boldFont : type.smallFont, "left", "bottom");
  context.fillStyle = now ? theme.text : theme.muted;
  const words = `${classes} classes`;
  context.fillText(context.measureText(words).width <= frame.width ? words : String(classes), frame.left, frame.top - 1);
  const zero = crisp(frame.toX(0));
  if (zero > frame.left && zero < frame.right) {
    setLine(context, 1, theme.text);
    strokeLine(context, zero, frame.top, zero, frame.bottom);
  }
  if (!known) {
    context.textAlign = "center";
    context.textBaseline = "middle";
    inkText(context, "…", frame.left + frame.width / 2, frame.top + frame.height / 2, theme.muted);
  }
  for (const { key, color } of panels) {
    const shares = scene.arrays[`share:${key}:${classes}`];
    if (!shares) continue;
    tracePolygon(context, frame, scene.growth.edges, shares);
    context.lineJoin = "round";
    setLine(context, type.projector ? 2.6 : 1.8, lineInk(color, theme));
    context.stroke();
  }
}

/**
 * Draws a frequency polygon, as in the paper: a line through the middles of the bins.
 * @param {Pen} context @param {Frame} frame @param {number[]} edges @param {Float64Array} shares
 */
function tracePolygon(context, frame, edges, shares) {
  context.beginPath();
  context.moveTo(frame.toX(edges[0]), frame.bottom);
  shares.forEach((share, i) => context.lineTo(frame.toX((edges[i] + edges[i + 1]) / 2), frame.toY(share)));
  context.lineTo(frame.toX(edges[edges.length - 1]), frame.bottom);
}

/** @param {ClassScene} scene @param {Panel[]} panels */
function summary({ growth, values }, panels) {
  const parts = growth.numbers.filter(({ methods }) => Object.keys(methods).length).map(({ classes, methods }) => {
    const each = panels.filter(({ key }) => methods[key]).map(({ key, name }) => {
      const { mean, variance } = methods[key].train;
      return `${name} mean ${short(mean)}, variance ${short(variance)}`;
    });
    return `${classes} classes: ${each.join("; ")}`;
  });
  return `Training margins, ${values.scale} scale, by the number of classes. ${parts.join(". ")}.`;
}
