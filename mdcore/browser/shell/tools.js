/** The actions of the editing tools on the data: pick up, carry, drop, add, flip, delete. */

import { addition, flip, movement, removal } from "../state/edits.js";
import { className } from "../state/class_filter.js";
import { clamp } from "../state/track.js";

/**
 * @import { BoundaryView } from "../charts/boundary.js"
 *
 * @typedef {{row: number, tool: string, edits: string | null, offset: Point, spot: Point | null}} Held
 */

export const HOLDING = new Set(["move", "probe"]);
/** The label of the example that each adding tool adds. */
export const ADDING = new Map([["add0", 0], ["add1", 1]]);

/**
 * @param {BoundaryView} view
 * @param {ViewStage} stage
 */
export function createTools(view, stage) {
  const { points } = view;
  const frameNow = () => /** @type {Frame} */ (view.frame); // the user is touching one
  /** The example being carried: its row, the previous edits, where it was picked up. @type {Held | null} */
  let held = null;

  /** @param {Point} place */
  function inFrame({ x, y }) {
    const frame = frameNow();
    return { x: clamp(x, frame.left, frame.right), y: clamp(y, frame.top, frame.bottom) };
  }

  /** @param {Point} place */
  function rawPlace(place) {
    const frame = frameNow();
    const { x, y } = inFrame(place);
    const raw = /** @type {RawScale} */ (stage.scene.plane.raw); // only data with features can be edited
    const [shiftX, scaleX] = raw.x;
    const [shiftY, scaleY] = raw.y;
    return {
      x: shiftX + scaleX * frame.fromX(x),
      y: shiftY + scaleY * frame.fromY(y),
      perPixelX: Math.abs(scaleX * (frame.fromX(1) - frame.fromX(0))),
      perPixelY: Math.abs(scaleY * (frame.fromY(1) - frame.fromY(0))),
    };
  }

  /** @param {string} text @param {boolean} commit */
  function edit(text, commit, more = {}) {
    stage.change({ ...more, edits: text || null }, { commit });
    view.repaint();
  }

  /** @param {Held} held */
  const probing = ({ tool, row }) => (tool === "probe" ? { "view.probe": String(row) } : {});

  return {
    inFrame,
    get holding() {
      return held !== null;
    },

    /**
     * @param {Point} place
     * @param {number} reach
     * @param {string} tool
     * @returns {{x: number, y: number} | null} the position of the example that was picked up
     */
    pickUp(place, reach, tool) {
      const at = points.nearest(place.x, place.y, reach);
      if (at < 0) return null;
      const spot = { x: points.xAt(at), y: points.yAt(at) };
      held = {
        row: points.rowAt(at),
        tool,
        edits: stage.value("edits"),
        offset: { x: spot.x - place.x, y: spot.y - place.y },
        spot: null,
      };
      stage.hover(held.row);
      return spot;
    },

    /** @param {Point} place */
    carry(place) {
      if (!held) return;
      held.spot = { x: place.x + held.offset.x, y: place.y + held.offset.y };
      edit(movement(held.edits, held.row, rawPlace(held.spot)), false, probing(held));
    },

    drop() {
      if (!held) return;
      const { row, edits, spot } = held;
      const more = probing(held);
      held = null;
      if (!spot) return;
      stage.announce(`Row ${row} moved.`); // a more informative result of the probe may follow at once
      edit(movement(edits, row, rawPlace(spot)), true, more);
    },

    putBack() {
      if (!held) return;
      const { row, spot } = held;
      held = null;
      if (!spot) return;
      stage.abandon();
      stage.announce(`Row ${row} put back.`);
    },

    /** Applies a tool that acts on one place. @param {string} tool @param {Point} place @param {number} reach */
    apply(tool, place, reach) {
      const edits = stage.value("edits");
      const label = ADDING.get(tool);
      if (label !== undefined) {
        edit(addition(edits, rawPlace(place), label), true);
        stage.announce(`Example of ${className(stage.scene.classes[label])} added.`);
        return;
      }
      const at = points.nearest(place.x, place.y, reach);
      if (tool === "point") {
        stage.select(new Set(at < 0 ? [] : [points.rowAt(at)]));
        return;
      }
      if (at < 0) {
        stage.announce("No example there.");
        return;
      }
      const row = points.rowAt(at);
      if (tool === "flip") {
        const other = stage.scene.classes[1 - points.labelAt(at)];
        edit(flip(edits, row), true);
        stage.announce(`Row ${row} is now ${className(other)}.`);
      } else {
        stage.hover(null);
        edit(removal(edits, row), true);
        stage.announce(`Row ${row} deleted.`);
      }
    },
  };
}
