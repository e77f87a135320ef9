/**
 * Pinned boundaries: dashed lines with the number of the pin, in a shade of the method's colour.
 *
 * @typedef {{slot: string, path: Path2D, place: Point | null}} Ghost
 */

import { inkText, setFont, setLine } from "./axes.js";
import { contourPath, numberPlace } from "./contours.js";
import { ghostInk } from "../shell/theme.js";
import { clamp } from "../state/track.js";

/**
 * @param {Scene} scene
 * @param {string} key
 * @param {Frame} frame
 * @returns {Ghost[]}
 */
export function traceGhosts(scene, key, frame) {
  /** @type {Ghost[]} */
  const ghosts = [];
  for (const pin of scene.pins ?? []) {
    const slot = pin.slot.slice(-1);
    const pinned = pin.panels.find((candidate) => candidate.key === key);
    const field = pinned && scene.arrays[`pin${slot}:field:${key}`];
    if (!field) continue;
    ghosts.push({ slot, path: contourPath(field, pinned.grid, 0, frame), place: numberPlace(field, pinned.grid, frame, ghosts) });
  }
  return ghosts;
}

/**
 * @param {Pen} context @param {Ghost[]} ghosts @param {Frame} frame @param {string} color @param {Type} type
 * @param {Theme} theme
 */
export function paintGhosts(context, ghosts, frame, color, type, theme) {
  const ink = ghostInk(color, theme);
  context.setLineDash([6, 4]);
  for (const { path } of ghosts) {
    setLine(context, 3.5, theme.veil);
    context.stroke(path);
    setLine(context, 1.8, ink);
    context.stroke(path);
  }
  context.setLineDash([]);
  setFont(context, type.boldFont, "center", "middle");
  const reach = type.small * 0.72;
  for (const { slot, place } of ghosts) {
    if (!place) continue;
    const x = clamp(place.x, frame.left + reach, frame.right - reach);
    const y = clamp(place.y, frame.top + reach, frame.bottom - reach);
    paintNumber(context, slot, { x, y }, reach, 1.5, ink, theme);
  }
}

/**
 * Draws the number of a pin in a ring, with the caller's font and alignment.
 * @param {Pen} context @param {string} slot @param {Point} place @param {number} reach @param {number} width
 * @param {string} ink @param {Theme} theme
 */
export function paintNumber(context, slot, { x, y }, reach, width, ink, theme) {
  context.beginPath();
  context.arc(x, y, reach, 0, 2 * Math.PI);
  context.fillStyle = theme.halo;
  context.fill();
  setLine(context, width, ink);
  context.stroke();
  inkText(context, slot, x, y + 0.5, theme.text);
}
