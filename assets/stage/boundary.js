/** One method's picture of the plane: field, contours, examples, pins. */

import {
  createFrame, drawGrid, drawXAxis, drawYAxis, haloText, niceStep, percent, shorten, significant, widestTick,
} from "./axes.js";
import { attachEditing } from "./editing.js";
import { pendingEdits } from "./edits.js";
import { createContourTracer, createFieldPicture } from "./field.js";
import { createPoints } from "./points.js";
import { createChangeDetector, createSurface } from "./surface.js";
import { ghostInk, themeOf } from "./theme.js";

const tracer = createContourTracer();

/** The frame inside the host: aspect locked in a plane, the whole room for signed distances. */
function layOut(surface, scene, panel) {
  const { type, base, width, height } = surface;
  const locked = scene.plane.kind === "plane";
  const window = locked ? scene.plane : panel.window;
  if (!window) return null;
  const { x, y } = window;
  base.font = type.smallFont;
  const inlineX = base.measureText(x.label).width < 2.2 * type.small;
  const inlineY = base.measureText(y.label).width < 2.2 * type.small;
  const note = locked && scene.plane.raw?.note ? scene.plane.raw.note : "";
  const below = 6 + type.line * (1 + (inlineX ? 0 : 1) + (note ? 1 : 0));
  const above = type.small / 2 + 1;
  const spanX = x.high - x.low;
  const spanY = y.high - y.low;
  const roomX = width - 4 * type.small;
  const roomY = height - below - above;
  let stepX = niceStep(spanX, Math.min(8, roomX / (4.2 * type.small)));
  let stepY = niceStep(spanY, Math.min(8, roomY / (2.6 * type.small)));
  if (locked) stepX = stepY = Math.max(stepX, stepY);
  const labels = Math.max(widestTick(base, y.low, y.high, stepY), inlineY ? base.measureText(y.label).width : 0);
  const before = labels + 7 + (inlineY ? 0 : type.line);
  let wide = width - before - 8;
  let high = roomY;
  if (wide < 20 || high < 20) return null;
  if (locked) {
    const unit = Math.min(wide / spanX, high / spanY);
    wide = Math.floor(unit * spanX);
    high = Math.floor(unit * spanY);
  }
  const left = Math.round(before + Math.max(0, (width - before - 8 - wide) / 2));
  const frame = createFrame(left, Math.round(above), wide, high, x, y);
  return { frame, note, stepX, stepY, inlineX, inlineY };
}

function contourPath(field, size, level, frame) {
  const path = new Path2D();
  const perColumn = frame.width / (size - 1);
  const perRow = frame.height / (size - 1);
  tracer.trace(field, size, level, (column, row, begins) => {
    const x = frame.left + column * perColumn;
    const y = frame.bottom - row * perRow;
    if (begins) path.moveTo(x, y);
    else path.lineTo(x, y);
  });
  return path;
}

/** Where a contour comes nearest to a corner of the frame: a good place for its number. */
function labelPlace(field, size, frame, slot) {
  const goalColumn = (size - 1) * (0.9 - 0.16 * slot);
  const goalRow = (size - 1) * 0.92;
  let least = Infinity;
  let place = null;
  tracer.trace(field, size, 0, (column, row) => {
    const distance = (column - goalColumn) ** 2 + (row - goalRow) ** 2;
    if (distance < least) {
      least = distance;
      place = { x: frame.left + (column / (size - 1)) * frame.width, y: frame.bottom - (row / (size - 1)) * frame.height };
    }
  });
  return place;
}

/**
 * @param {HTMLElement} host
 * @param {string} key the method's key
 */
export function createBoundary(host, stage, key) {
  const surface = createSurface(host, stage);
  const picture = createFieldPicture();
  const points = createPoints();
  const baseChanged = createChangeDetector();
  const layoutChanged = createChangeDetector();
  const contoursChanged = createChangeDetector();
  let layout = null;
  let contours = [];
  let ghosts = [];
  let size = 0;

  const panelOf = (scene) => scene?.panels.find((panel) => panel.key === key);

  const view = {
    key,
    surface,
    points,
    get frame() {
      return layout?.frame ?? null;
    },
    get radius() {
      return size;
    },
    /** Redraws this panel alone, between two scenes. */
    repaint: () => stage.scene && view.draw(stage.scene),
    draw,
    resize,
    destroy() {
      editing.destroy();
      surface.destroy();
    },
  };

  function radiusFor(frame, count) {
    const room = Math.min(frame.width, frame.height) / 75;
    const crowd = Math.min(1, Math.sqrt(400 / Math.max(1, count)));
    return Math.max(2, Math.min(surface.type.projector ? 6.5 : 5, Math.max(3, room)) * Math.max(0.6, crowd));
  }

  function trace(scene, panel) {
    const field = scene.arrays[`field:${key}`];
    if (!contoursChanged(scene, layout)) return;
    const { frame } = layout;
    contours = !field ? [] : panel.levels.map((level) => ({
      main: level === 0,
      path: contourPath(field, panel.grid, level * panel.fieldScale, frame),
    }));
    ghosts = [];
    for (const pin of scene.pins ?? []) {
      const slot = pin.slot.slice(-1);
      const pinned = pin.panels.find((candidate) => candidate.key === key);
      const ghost = pinned && scene.arrays[`pin${slot}:field:${key}`];
      if (!ghost) continue;
      ghosts.push({ slot, path: contourPath(ghost, pinned.grid, 0, frame), place: labelPlace(ghost, pinned.grid, frame, Number(slot)) });
    }
  }

  function paintGhosts(context, panel, theme) {
    const ink = ghostInk(panel.color, theme);
    context.setLineDash([6, 4]);
    for (const { path } of ghosts) {
      context.lineWidth = 3.5;
      context.strokeStyle = theme.veil;
      context.stroke(path);
      context.lineWidth = 1.8;
      context.strokeStyle = ink;
      context.stroke(path);
    }
    context.setLineDash([]);
    context.font = surface.type.boldFont;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const { slot, place } of ghosts) {
      if (!place) continue;
      const reach = surface.type.small * 0.72;
      const x = Math.max(layout.frame.left + reach, Math.min(layout.frame.right - reach, place.x));
      const y = Math.max(layout.frame.top + reach, Math.min(layout.frame.bottom - reach, place.y));
      context.beginPath();
      context.arc(x, y, reach, 0, 2 * Math.PI);
      context.fillStyle = theme.halo;
      context.fill();
      context.lineWidth = 1.5;
      context.strokeStyle = ink;
      context.stroke();
      context.fillStyle = theme.text;
      context.fillText(slot, x, y + 0.5);
    }
  }

  function paintContours(context, theme) {
    const thick = surface.type.projector ? 3.2 : 2.4;
    for (const { main, path } of contours) {
      context.setLineDash(main ? [] : [4, 4]);
      context.lineWidth = main ? thick : thick * 0.55;
      context.strokeStyle = theme.text;
      context.stroke(path);
    }
    context.setLineDash([]);
  }

  function paintBase(scene, panel, theme) {
    const { base: context, type } = surface;
    const { frame } = layout;
    const field = scene.arrays[`field:${key}`];
    context.clearRect(0, 0, surface.width, surface.height);
    context.save();
    context.beginPath();
    context.rect(frame.left, frame.top, frame.width, frame.height);
    context.clip();
    if (field) {
      const outer = Math.max(...panel.levels.map(Math.abs)) || 1;
      picture.draw(context, frame, field, panel.grid, panel.fieldScale * outer, theme);
    } else {
      drawGrid(context, frame, layout.stepX, layout.stepY, theme);
    }
    paintContours(context, theme);
    if (panel.status === "failed") context.globalAlpha = 0.35;
    points.draw(context, size, theme, String(stage.value("view.sv") ?? "") === "1" && field);
    context.globalAlpha = 1;
    paintGhosts(context, panel, theme);
    context.restore();
    context.lineWidth = 1;
    context.strokeStyle = theme.frame;
    context.strokeRect(frame.left - 0.5, frame.top - 0.5, frame.width + 1, frame.height + 1);
    const next = drawXAxis(context, frame, { step: layout.stepX, label: frame.x.label, inline: layout.inlineX }, type, theme);
    drawYAxis(context, frame, { step: layout.stepY, label: frame.y.label, inline: layout.inlineY }, type, theme);
    if (layout.note) {
      context.textAlign = "center";
      context.textBaseline = "top";
      context.fillStyle = theme.muted;
      const words = `axes ${layout.note}`;
      const full = `${words}: point at an example for raw values`;
      const room = surface.width;
      const text = context.measureText(full).width <= room ? full : shorten(context, words, room);
      const half = context.measureText(text).width / 2;
      const middle = Math.max(half, Math.min(room - half, (frame.left + frame.right) / 2));
      context.fillText(text, middle, next);
    }
    if (panel.status === "failed") paintMessage(context, panel.message, frame, theme);
  }

  function paintMessage(context, message, frame, theme) {
    const { type } = surface;
    const room = frame.width - 3 * type.small;
    context.font = type.smallFont;
    const lines = [];
    for (const word of (message || "This method has no result here.").split(/\s+/)) {
      const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
      if (lines.length && context.measureText(longer).width <= room) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    const most = Math.max(1, Math.floor((frame.height - 2 * type.small) / type.line));
    if (lines.length > most) lines.splice(most - 1, Infinity, shorten(context, lines[most - 1] + "…", room));
    const widest = Math.max(...lines.map((line) => context.measureText(line).width));
    const middle = (frame.left + frame.right) / 2;
    const high = lines.length * type.line + type.small;
    const top = (frame.top + frame.bottom - high) / 2;
    context.beginPath();
    context.roundRect(middle - widest / 2 - type.small, top, widest + 2 * type.small, high, 6);
    context.fillStyle = theme.panel;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = theme.frame;
    context.stroke();
    context.fillStyle = theme.text;
    context.textAlign = "center";
    context.textBaseline = "middle";
    lines.forEach((line, i) => context.fillText(line, middle, top + type.small / 2 + (i + 0.5) * type.line));
  }

  function paintOverlay(scene, theme) {
    const { overlay: context, type } = surface;
    const { frame } = layout;
    context.clearRect(0, 0, surface.width, surface.height);
    context.save();
    context.beginPath();
    context.rect(frame.left, frame.top, frame.width, frame.height);
    context.clip();
    const { rows, hover } = stage.selection;
    if (rows.size) {
      context.fillStyle = theme.veil;
      context.fillRect(frame.left, frame.top, frame.width, frame.height);
      points.emphasise(context, rows, size, theme);
      paintContours(context, theme);
    }
    if (hover !== null) points.emphasise(context, [hover], size * 1.25, theme);
    paintProbe(context, scene, theme, type);
    editing.paint(context, theme);
    context.restore();
  }

  function paintProbe(context, scene, theme, type) {
    const turned = scene.probe?.turned[key];
    if (!scene.probe || turned === undefined || turned === null) return;
    const at = points.indexOf(scene.probe.row);
    if (points.isShown(at)) {
      context.beginPath();
      context.arc(points.xAt(at), points.yAt(at), size * 2.4, 0, 2 * Math.PI);
      context.setLineDash([3, 3]);
      context.lineWidth = 2;
      context.strokeStyle = theme.text;
      context.stroke();
      context.setLineDash([]);
    }
    context.font = type.boldFont;
    context.textAlign = "left";
    context.textBaseline = "top";
    const { frame } = layout;
    const full = `${percent(turned)} of the picture changed side`;
    const short = `${percent(turned)} changed side`;
    const text = context.measureText(full).width + 16 <= frame.width ? full : short;
    context.fillStyle = theme.panel;
    context.fillRect(frame.left, frame.top, Math.min(frame.width, context.measureText(text).width + 12), type.line + 6);
    context.fillStyle = theme.text;
    context.fillText(text, frame.left + 6, frame.top + 4);
  }

  function summary(scene, panel) {
    if (panel.status === "failed") return `${panel.name}: no picture. ${panel.message}`;
    const { train } = panel.stats;
    const state = panel.status === "unconverged" ? "not converged; " : "";
    return (
      `${panel.name}: ${state}training accuracy ${percent(train.accuracy)}, mean margin ${significant(train.mean, 3)}, ` +
      `minimum ${significant(train.min, 3)}; boundary picture with ${scene.split.train} training and ${scene.split.test} test points`
    ).replaceAll("−", "-");
  }

  function draw(scene) {
    const panel = panelOf(scene);
    if (!panel || !surface.ready()) return;
    const theme = themeOf(stage);
    const split = stage.value("view.split") || "both";
    const edits = stage.value("edits");
    const fresh = baseChanged(scene, theme, surface.type, split, edits, stage.value("view.sv"));
    if (layoutChanged(scene.plane, panel.window, surface.type)) layout = layOut(surface, scene, panel);
    if (!layout) {
      drawWithoutFrame(panel, theme);
      return;
    }
    if (fresh) {
      const pending = scene.canEdit ? pendingEdits(edits, new URLSearchParams(scene.query).get("edits")) : null;
      points.place(scene, key, layout.frame, split, pending);
      size = radiusFor(layout.frame, points.count);
      trace(scene, panel);
      paintBase(scene, panel, theme);
      surface.describe(summary(scene, panel));
    }
    editing.follow(scene);
    paintOverlay(scene, theme);
  }

  /** A method without a result in a view whose window the result would have decided. */
  function drawWithoutFrame(panel, theme) {
    surface.base.clearRect(0, 0, surface.width, surface.height);
    surface.overlay.clearRect(0, 0, surface.width, surface.height);
    surface.describe(`${panel.name}: no picture. ${panel.message}`);
    const room = { low: 0, high: 1 };
    paintMessage(surface.base, panel.message, createFrame(0, 0, surface.width, surface.height, room, room), theme);
  }

  function resize() {
    surface.measure();
  }

  /** What the tooltip and the screen reader say about one example. */
  view.wordsFor = (scene, i) => {
    const { arrays, plane, classes } = scene;
    const panel = panelOf(scene);
    const margin = arrays[`margin:${key}`]?.[i];
    const label = arrays.label[i];
    const lines = [`row ${arrays.row[i]} · class ${classes[label]} · ${arrays.part[i] ? "test" : "train"}`];
    if (margin !== undefined) lines.push(`${panel.name} margin ${significant(margin, 4)}${margin <= 0 ? " (error)" : ""}`);
    if (arrays[`flag:${key}`]?.[i] & 1) lines.push(panel.badge?.supportLabel ? `one of the ${panel.badge.supportLabel}` : "support vector");
    const { x, y } = plane.kind === "plane" ? plane : panel.window;
    const xs = plane.kind === "plane" ? arrays.x : arrays[`x:${key}`];
    const ys = plane.kind === "plane" ? arrays.y : arrays[`y:${key}`];
    const [shiftX, scaleX] = plane.raw?.x ?? [0, 1];
    const [shiftY, scaleY] = plane.raw?.y ?? [0, 1];
    const raw = plane.raw?.note ? " (raw)" : "";
    lines.push(`${x.label} ${significant(shiftX + scaleX * xs[i], 4)}, ${y.label} ${significant(shiftY + scaleY * ys[i], 4)}${raw}`);
    return lines;
  };

  const editing = attachEditing(view, stage);
  return view;
}
