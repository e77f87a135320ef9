/** Pointer and keyboard on a boundary panel: hover, brush, and tools at the pointer or at a crosshair. */

import { setLine } from "../canvas/axes.js";
import { addGlyph, cornersOf, inkGlyphs } from "../canvas/glyphs.js";
import { listen } from "../shell/dom.js";
import { ADDING, HOLDING, createTools } from "../shell/tools.js";
import { spoken } from "../shell/words.js";
import { className } from "../state/class_filter.js";

/**
 * @import { BoundaryView } from "./boundary.js"
 *
 * @typedef {{tool: string, from: Point, to: Point, moved: boolean}} Press
 */

const REACH = 12;
const COARSE_REACH = 22; // for a finger, or a crosshair that moves in steps
const CLICK_SLACK = 5;
const STEP = 6;
const FAST_STEP = 30;

/** @type {{[tool: string]: string}} */
const HINTS = {
  point: "arrow keys move a crosshair over the examples, Enter selects the nearest one, Escape clears the selection",
  move: "arrow keys move a crosshair, Enter picks up or drops the nearest example, Escape puts it back",
  flip: "arrow keys move a crosshair, Enter gives the nearest example the other class",
  delete: "arrow keys move a crosshair, Enter deletes the nearest example",
  probe: "arrow keys move a crosshair, Enter picks up or drops the example to probe with, Escape puts it back",
};
/** @param {string} tool @param {string[]} classes */
function hintOf(tool, classes) {
  const label = ADDING.get(tool);
  return label === undefined ? HINTS[tool] : `arrow keys move a crosshair, Enter adds an example of ${className(classes[label])}`;
}

/** @type {{[key: string]: number[]}} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * @param {BoundaryView} view
 * @param {ViewStage} stage
 */
export function attachEditing(view, stage) {
  const { surface, points } = view;
  const { cover } = surface;
  const tools = createTools(view, stage);
  const frameNow = () => /** @type {Frame} */ (view.frame); // the user is touching one
  /** A press that is not dragging an example: a click, or a brush once it has moved. @type {Press | null} */
  let press = null;
  /** @type {Point | null} */
  let crosshair = null;
  /** @type {Point | null} */
  let pointer = null;
  let followed = "";

  cover.tabIndex = 0;
  cover.removeAttribute("aria-hidden");
  cover.setAttribute("role", "application");

  const ready = () => view.frame !== null && stage.scene !== null;
  const toolNow = () => (stage.scene.canEdit ? stage.tool : "point");
  /** @param {PointerEvent} event */
  const reachOf = (event) => (event.pointerType === "touch" ? COARSE_REACH : REACH);

  /** Sets the cursor, touch behaviour (views.css) and accessible hint for the tool. @param {Scene} scene */
  function follow(scene) {
    const tool = toolNow();
    const name = scene.panels.find((panel) => panel.key === view.key)?.name ?? "";
    const words = spoken(`Examples of ${name}: ${hintOf(tool, scene.classes)}`);
    if (followed === tool + words) return;
    followed = tool + words;
    cover.dataset.tool = tool;
    cover.setAttribute("aria-label", words);
  }

  /**
   * Highlights the nearest example.
   * @param {Point} place
   * @param {number} reach
   * @returns {string[] | null} the lines of its tooltip
   */
  function point(place, reach) {
    const at = points.nearest(place.x, place.y, reach);
    if (at < 0) {
      leave();
      return null;
    }
    if (stage.selection.hover !== points.rowAt(at)) stage.hover(points.rowAt(at));
    const lines = view.wordsFor(stage.scene, at);
    surface.showTip(lines, points.xAt(at), points.yAt(at), (left, top, right, bottom) => points.rowsInside(left, top, right, bottom).size);
    return lines;
  }

  function leave() {
    surface.hideTip();
    if (stage.selection.hover !== null) stage.hover(null);
  }

  /** @param {Press} held */
  function brush({ from, to }) {
    stage.select(
      points.rowsInside(Math.min(from.x, to.x), Math.min(from.y, to.y), Math.max(from.x, to.x), Math.max(from.y, to.y)),
    );
  }

  const listeners = {
    /** @param {PointerEvent} event */
    pointerdown(event) {
      if (event.button !== 0 || !ready() || press) return;
      const place = surface.at(event);
      if (tools.holding) tools.drop();
      crosshair = null;
      if (!frameNow().holds(place.x, place.y)) return;
      const tool = toolNow();
      if (!HOLDING.has(tool)) press = { tool, from: place, to: place, moved: false };
      else if (!tools.pickUp(place, reachOf(event), tool)) return;
      surface.hideTip();
      cover.setPointerCapture(event.pointerId);
      view.repaint();
    },

    /** @param {PointerEvent} event */
    pointermove(event) {
      if (!ready()) return;
      const place = surface.at(event);
      pointer = frameNow().holds(place.x, place.y) ? place : null;
      if (tools.holding) {
        if (event.buttons) tools.carry(place); // an example held by the keyboard stays at the crosshair
      } else if (press) {
        press.to = tools.inFrame(place);
        press.moved ||= Math.hypot(place.x - press.from.x, place.y - press.from.y) > CLICK_SLACK;
        if (press.tool === "point" && press.moved) brush(press);
        view.repaint();
      } else if (ADDING.has(toolNow())) view.repaint();
      else if (pointer) point(place, reachOf(event));
      else leave();
    },

    /** @param {PointerEvent} event */
    pointerup(event) {
      if (!ready()) return;
      if (tools.holding) tools.drop();
      else if (press) {
        const { tool, moved, to } = press;
        if (!moved) tools.apply(tool, to, reachOf(event));
        if (!moved && tool === "point") point(to, reachOf(event)); // a finger cannot hover
        else if (tool === "point") {
          brush(press);
          stage.announce(`${stage.selection.rows.size} examples selected.`);
        }
        press = null;
      }
      view.repaint();
    },

    pointercancel() {
      if (tools.holding) tools.putBack();
      press = null;
      view.repaint();
    },

    /** @param {PointerEvent} event */
    pointerleave(event) {
      if (!ready()) return;
      pointer = null;
      const tapped = event.pointerType === "touch" && toolNow() === "point";
      if (!press && !tools.holding && !crosshair && !tapped) leave();
      view.repaint();
    },

    blur() {
      if (tools.holding) tools.drop();
      if (crosshair) leave();
      crosshair = null;
      view.repaint();
    },

    /** @param {KeyboardEvent} event */
    keydown(event) {
      if (!ready() || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) moveCrosshair(ARROWS[event.key], event.shiftKey ? FAST_STEP : STEP);
      else if (event.key === "Enter" || event.key === " ") act();
      else if (event.key !== "Escape" || !cancel()) return;
      event.preventDefault();
      event.stopPropagation();
      view.repaint();
    },
  };

  /** @param {Frame} frame */
  const centre = ({ left, right, top, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

  /** @param {number[]} arrow @param {number} step */
  function moveCrosshair([right, down], step) {
    const start = crosshair ?? centre(frameNow());
    crosshair = tools.inFrame({ x: start.x + right * step, y: start.y + down * step });
    if (tools.holding) tools.carry(crosshair);
    else if (!ADDING.has(toolNow())) {
      const before = stage.selection.hover;
      const lines = point(crosshair, COARSE_REACH);
      if (lines && stage.selection.hover !== before) stage.announce(lines.join(", "));
    }
  }

  function act() {
    const tool = toolNow();
    crosshair ??= centre(frameNow());
    if (tools.holding) tools.drop();
    else if (!HOLDING.has(tool)) tools.apply(tool, crosshair, COARSE_REACH);
    else {
      const spot = points.nearest(crosshair.x, crosshair.y, COARSE_REACH);
      if (spot < 0) stage.announce("No example there.");
      else {
        crosshair = tools.pickUp({ x: points.xAt(spot), y: points.yAt(spot) }, 1, tool);
        stage.announce(`Row ${points.rowAt(spot)} picked up.`);
      }
    }
    surface.hideTip();
  }

  /** Ends what is under way or marked, and returns whether anything was; if not, Escape is for what is around the panel. */
  function cancel() {
    if (tools.holding) tools.putBack();
    else if (press) press = null;
    else if (crosshair) {
      crosshair = null;
      leave();
    } else if (stage.selection.rows.size) stage.select(new Set());
    else return false;
    return true;
  }

  const unlisten = listen(cover, listeners);

  /** @param {Pen} context @param {Point} at @param {Theme} theme */
  function paintCrosshair(context, at, theme) {
    const frame = frameNow();
    const x = Math.round(at.x) + 0.5;
    const y = Math.round(at.y) + 0.5;
    context.beginPath();
    context.moveTo(frame.left, y);
    context.lineTo(frame.right, y);
    context.moveTo(x, frame.top);
    context.lineTo(x, frame.bottom);
    setLine(context, 4, theme.veil);
    context.stroke();
    setLine(context, 1.5, theme.accent);
    context.stroke();
  }

  /** @param {Pen} context @param {{from: Point, to: Point}} brush @param {Theme} theme */
  function paintBrush(context, { from, to }, theme) {
    context.lineWidth = 1.5;
    context.setLineDash([4, 3]);
    context.strokeStyle = theme.accent;
    context.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y);
    context.setLineDash([]);
  }

  return {
    follow,

    /** Whether `paint` has anything to draw. */
    get visible() {
      return press !== null || crosshair !== null || (pointer !== null && ADDING.has(toolNow()));
    },

    /** Draws the crosshair and the brush, on top of everything. @param {Pen} context @param {Theme} theme */
    paint(context, theme) {
      if (press?.tool === "point" && press.moved) paintBrush(context, press, theme);
      if (crosshair) paintCrosshair(context, crosshair, theme);
      const place = crosshair ?? pointer;
      const label = ADDING.get(toolNow());
      if (!place || label === undefined) return;
      context.globalAlpha = 0.75;
      context.beginPath();
      addGlyph(context, cornersOf(label, theme), place.x, place.y, view.radius * 1.15);
      inkGlyphs(context, label, false, view.radius, theme);
      context.globalAlpha = 1;
    },

    destroy: unlisten,
  };
}
