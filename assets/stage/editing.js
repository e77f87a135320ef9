/** Pointer and keyboard on a boundary panel: hover, brush, add, move, flip, delete, probe. */

import { addition, flip, movement, removal } from "./edits.js";
import { addGlyph, inkGlyphs } from "./points.js";
import { themeOf } from "./theme.js";

const REACH = 12;
const COARSE_REACH = 22; // a finger, or a crosshair that moves in steps
const CLICK_SLACK = 5;
const STEP = 6;
const FAST_STEP = 30;

const HINTS = {
  point: "arrow keys move a crosshair over the examples, Enter selects the nearest one, Escape clears the selection",
  add0: "arrow keys move a crosshair, Enter adds an example of the first class",
  add1: "arrow keys move a crosshair, Enter adds an example of the second class",
  move: "arrow keys move a crosshair, Enter picks up or drops the nearest example, Escape puts it back",
  flip: "arrow keys move a crosshair, Enter gives the nearest example the other class",
  delete: "arrow keys move a crosshair, Enter deletes the nearest example",
  probe: "arrow keys move a crosshair, Enter picks up or drops the example to probe with, Escape puts it back",
};
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const HOLDING = new Set(["move", "probe"]);
const ADDING = new Map([["add0", 0], ["add1", 1]]);

/** @param {ReturnType<import("./boundary.js").createBoundary>} view */
export function attachEditing(view, stage) {
  const { surface, points } = view;
  const { cover } = surface;
  /** What is going on: a brush rectangle, an example in the hand, a click not yet released. */
  let gesture = null;
  let crosshair = null;
  let pointer = null;
  let toolShown = null;

  cover.tabIndex = 0;
  cover.removeAttribute("aria-hidden");
  cover.setAttribute("role", "application");

  const toolNow = () => (stage.scene?.canEdit ? stage.tool : "point");

  function follow(scene) {
    const tool = toolNow();
    const name = scene.panels.find((panel) => panel.key === view.key).name;
    if (toolShown === tool + name) return;
    toolShown = tool + name;
    cover.dataset.tool = tool; // cursor and touch-action: views.css
    cover.setAttribute("aria-label", `Examples of ${name}: ${HINTS[tool]}`);
  }

  function inFrame({ x, y }) {
    const { frame } = view;
    return { x: Math.max(frame.left, Math.min(frame.right, x)), y: Math.max(frame.top, Math.min(frame.bottom, y)) };
  }

  function rawPlace(place) {
    const { frame } = view;
    const { x, y } = inFrame(place);
    const [shiftX, scaleX] = stage.scene.plane.raw.x;
    const [shiftY, scaleY] = stage.scene.plane.raw.y;
    return {
      x: shiftX + scaleX * frame.fromX(x),
      y: shiftY + scaleY * frame.fromY(y),
      perPixelX: Math.abs(scaleX * (frame.fromX(1) - frame.fromX(0))),
      perPixelY: Math.abs(scaleY * (frame.fromY(1) - frame.fromY(0))),
    };
  }

  function edit(text, options, more = {}) {
    stage.change({ ...more, edits: text || null }, options);
    view.repaint();
  }

  function point(place, reach) {
    const at = points.nearest(place.x, place.y, reach);
    const row = at < 0 ? null : points.rowAt(at);
    if (row !== stage.selection.hover) stage.hover(row);
    if (at >= 0 && at < stage.scene.arrays.row.length) {
      const lines = view.wordsFor(stage.scene, at);
      surface.showTip(lines, points.xAt(at), points.yAt(at));
      return lines;
    }
    surface.hideTip();
    return null;
  }

  function leave() {
    surface.hideTip();
    if (stage.selection.hover !== null) stage.hover(null);
  }

  /* One example in the hand. */

  function pickUp(place, reach, tool) {
    const at = points.nearest(place.x, place.y, reach);
    if (at < 0) return false;
    const row = points.rowAt(at);
    gesture = {
      kind: "hold",
      row,
      tool,
      before: stage.value("edits"),
      probeBefore: stage.value("view.probe"),
      offset: { x: points.xAt(at) - place.x, y: points.yAt(at) - place.y },
      moved: false,
    };
    surface.hideTip();
    stage.hover(row);
    return true;
  }

  function carry(place) {
    const { row, before, tool, offset } = gesture;
    gesture.moved = true;
    gesture.place = { x: place.x + offset.x, y: place.y + offset.y };
    const more = tool === "probe" ? { "view.probe": String(row) } : {};
    edit(movement(before, row, rawPlace(gesture.place)), { commit: false }, more);
  }

  function drop() {
    const { row, before, moved, place, tool } = gesture;
    gesture = null;
    if (!moved) return;
    const more = tool === "probe" ? { "view.probe": String(row) } : {};
    edit(movement(before, row, rawPlace(place)), { commit: true }, more);
    stage.announce(`Row ${row} moved.`);
  }

  function putBack() {
    const { row, before, moved, tool, probeBefore } = gesture;
    gesture = null;
    if (!moved) return;
    edit(before, { commit: false }, tool === "probe" ? { "view.probe": probeBefore ?? null } : {});
    stage.announce(`Row ${row} put back.`);
  }

  /* Tools that act on one place. */

  function apply(tool, place, reach) {
    const before = stage.value("edits");
    if (ADDING.has(tool)) {
      const label = ADDING.get(tool);
      edit(addition(before, rawPlace(place), label), { commit: true });
      stage.announce(`Example of class ${stage.scene.classes[label]} added.`);
      return;
    }
    const at = points.nearest(place.x, place.y, reach);
    if (at < 0) {
      if (tool === "point") stage.select(new Set());
      else stage.announce("No example there.");
      return;
    }
    const row = points.rowAt(at);
    if (tool === "flip") {
      const other = stage.scene.classes[1 - points.labelAt(at)];
      edit(flip(before, row), { commit: true });
      stage.announce(`Row ${row} is now of class ${other}.`);
    } else if (tool === "delete") {
      leave();
      edit(removal(before, row), { commit: true });
      stage.announce(`Row ${row} deleted.`);
    } else {
      stage.select(new Set([row]));
    }
  }

  function brush() {
    const { from, to } = gesture;
    stage.select(
      points.rowsInside(Math.min(from.x, to.x), Math.min(from.y, to.y), Math.max(from.x, to.x), Math.max(from.y, to.y)),
    );
  }

  const reachOf = (event) => (event.pointerType === "touch" ? COARSE_REACH : REACH);

  const listeners = {
    pointerdown(event) {
      if (event.button !== 0 || !view.frame || !stage.scene || gesture) return;
      const place = surface.at(event);
      crosshair = null;
      cover.focus({ preventScroll: true });
      if (!view.frame.holds(place.x, place.y)) return;
      const tool = toolNow();
      if (HOLDING.has(tool)) {
        if (!pickUp(place, reachOf(event), tool)) return;
      } else {
        gesture = { kind: tool === "point" ? "brush" : "click", tool, from: place, to: place };
      }
      cover.setPointerCapture(event.pointerId);
    },

    pointermove(event) {
      if (!view.frame || !stage.scene) return;
      const place = surface.at(event);
      pointer = view.frame.holds(place.x, place.y) ? place : null;
      if (gesture?.kind === "hold") carry(place);
      else if (gesture) {
        gesture.to = inFrame(place);
        gesture.wide ||= Math.hypot(place.x - gesture.from.x, place.y - gesture.from.y) > CLICK_SLACK;
        if (gesture.kind === "brush" && gesture.wide) {
          surface.hideTip();
          brush();
        }
        view.repaint();
      } else if (ADDING.has(toolNow())) view.repaint();
      else if (pointer) point(place, reachOf(event));
      else leave();
    },

    pointerup(event) {
      if (!gesture) return;
      const place = surface.at(event);
      if (gesture.kind === "hold") drop();
      else {
        const { tool, wide, kind } = gesture;
        if (kind === "brush" && wide) {
          brush();
          stage.announce(`${stage.selection.rows.size} examples selected.`);
        } else if (!wide) apply(tool, place, reachOf(event));
        gesture = null;
      }
      if (event.pointerType === "touch" && toolNow() !== "point") leave();
      view.repaint();
    },

    pointercancel() {
      if (gesture?.kind === "hold") putBack();
      gesture = null;
      view.repaint();
    },

    pointerleave() {
      pointer = null;
      if (!gesture) leave();
      view.repaint();
    },

    blur() {
      if (gesture?.kind === "hold") drop();
      if (crosshair) leave();
      crosshair = null;
      view.repaint();
    },

    keydown(event) {
      if (!view.frame || !stage.scene || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) moveCrosshair(ARROWS[event.key], event.shiftKey ? FAST_STEP : STEP);
      else if (event.key === "Enter" || event.key === " ") enter();
      else if (event.key === "Escape") escape();
      else return;
      event.preventDefault();
      event.stopPropagation();
      view.repaint();
    },
  };

  function moveCrosshair([right, down], step) {
    const { frame } = view;
    const start = crosshair ?? { x: (frame.left + frame.right) / 2, y: (frame.top + frame.bottom) / 2 };
    crosshair = inFrame({ x: start.x + right * step, y: start.y + down * step });
    if (gesture?.kind === "hold") {
      carry(crosshair);
      return;
    }
    if (ADDING.has(toolNow())) return;
    const before = stage.selection.hover;
    const lines = point(crosshair, COARSE_REACH);
    if (lines && stage.selection.hover !== before) stage.announce(lines.join(", "));
  }

  function enter() {
    const { frame } = view;
    crosshair ??= { x: (frame.left + frame.right) / 2, y: (frame.top + frame.bottom) / 2 };
    const tool = toolNow();
    if (gesture?.kind === "hold") drop();
    else if (!HOLDING.has(tool)) apply(tool, crosshair, COARSE_REACH);
    else if (pickUp(crosshair, COARSE_REACH, tool)) {
      crosshair = { x: crosshair.x + gesture.offset.x, y: crosshair.y + gesture.offset.y };
      gesture.offset = { x: 0, y: 0 };
      stage.announce(`Row ${gesture.row} picked up.`);
    } else stage.announce("No example there.");
  }

  function escape() {
    if (gesture?.kind === "hold") putBack();
    else if (gesture) gesture = null;
    else if (crosshair) {
      crosshair = null;
      leave();
    } else stage.select(new Set());
  }

  for (const [name, listener] of Object.entries(listeners)) cover.addEventListener(name, listener);

  function paintCrosshair(context, theme) {
    const { frame } = view;
    const x = Math.round(crosshair.x) + 0.5;
    const y = Math.round(crosshair.y) + 0.5;
    context.beginPath();
    context.moveTo(frame.left, y);
    context.lineTo(frame.right, y);
    context.moveTo(x, frame.top);
    context.lineTo(x, frame.bottom);
    context.lineWidth = 3;
    context.strokeStyle = theme.veil;
    context.stroke();
    context.lineWidth = 1;
    context.strokeStyle = theme.accent;
    context.stroke();
  }

  return {
    follow,

    /** What follows the hand, on top of everything. */
    paint(context, theme) {
      if (gesture?.kind === "brush" && gesture.wide) {
        const { from, to } = gesture;
        context.lineWidth = 1.5;
        context.setLineDash([4, 3]);
        context.strokeStyle = theme.accent;
        context.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y);
        context.setLineDash([]);
      }
      if (crosshair) paintCrosshair(context, theme);
      const place = crosshair ?? pointer;
      const label = ADDING.get(toolNow());
      if (place && label !== undefined) {
        context.globalAlpha = 0.75;
        context.beginPath();
        addGlyph(context, label, place.x, place.y, view.radius * 1.15);
        inkGlyphs(context, label, false, view.radius, themeOf(stage));
        context.globalAlpha = 1;
      }
    },

    destroy() {
      for (const [name, listener] of Object.entries(listeners)) cover.removeEventListener(name, listener);
    },
  };
}
