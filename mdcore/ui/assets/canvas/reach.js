/** How far an example is from the boundary: the same length in the panel, in the histogram and on the curves. */

import { nearestOnContour } from "./contours.js";

/** Whether a panel's boundary is a straight line, so that its perpendicular is one. */
export const isStraight = (scene, panel) => scene.plane.kind === "distance" || (scene.values.kernel === "linear" && !panel.regions);

/** Where on the boundary the way from an example ends; null where there is no boundary in the picture. */
export function footOf(scene, panel, frame, at, place) {
  const field = scene.arrays[`field:${panel.key}`];
  if (field) return nearestOnContour(field, panel.grid, 0, frame, place, isStraight(scene, panel));
  const region = scene.arrays[`region:${panel.key}`];
  if (!region) return null;
  const label = scene.arrays.label[at];
  return nearestOnContour(Int16Array.from(region, (other) => (other === label ? 1 : -1)), panel.grid, 0, frame, place, false);
}

/** A line with a bar at its end, alike in all views. */
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
  for (const [width, ink] of [[projector ? 7 : 5, theme.halo], [projector ? 3.5 : 2.5, theme.accent]]) {
    context.lineWidth = width;
    context.strokeStyle = ink;
    context.stroke(path);
  }
}
