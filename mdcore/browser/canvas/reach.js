/** The distance of an example to the boundary: the same length in the panel, in the histogram and on the curves. */

import { nearestOnContour } from "./contours.js";

/** Returns whether the boundary of a panel is a straight line. @param {Scene} scene @param {Panel} panel */
export const isStraight = (scene, panel) => scene.plane.kind === "distance" || (scene.values.kernel === "linear" && !panel.regions);

/**
 * Returns the nearest point of the boundary to an example, or null if no boundary is in the picture.
 * @param {Scene} scene @param {Panel} panel @param {Frame} frame @param {number} at @param {Point} place
 */
export function footOf(scene, panel, frame, at, place) {
  const field = scene.arrays[`field:${panel.key}`];
  if (panel.grid === undefined) return null;
  if (field) return nearestOnContour(field, panel.grid, 0, frame, place, isStraight(scene, panel));
  const region = scene.arrays[`region:${panel.key}`];
  if (!region) return null;
  const label = scene.arrays.label[at];
  return nearestOnContour(Int16Array.from(region, (other) => (other === label ? 1 : -1)), panel.grid, 0, frame, place, false);
}

/**
 * Draws a line with a bar at its end, in the same way in all views.
 * @param {Pen} context @param {Point} from @param {Point} to @param {Theme} theme @param {boolean} projector
 */
export function paintReach(context, from, to, theme, projector) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < 1) return;
  const across = (4 * (from.y - to.y)) / length;
  const down = (4 * (to.x - from.x)) / length;
  const path = new Path2D();
  path.moveTo(from.x, from.y);
  path.lineTo(to.x, to.y);
  path.moveTo(to.x - across, to.y - down);
  path.lineTo(to.x + across, to.y + down);
  for (const { width, ink } of [{ width: projector ? 7 : 5, ink: theme.halo }, { width: projector ? 3.5 : 2.5, ink: theme.accent }]) {
    context.lineWidth = width;
    context.strokeStyle = ink;
    context.stroke(path);
  }
}
