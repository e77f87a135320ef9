/** The shapes of the classes, and how they are drawn. */

import { setLine } from "./axes.js";
import { classInk, classShape } from "../shell/theme.js";
import { penOf } from "./surface.js";

/** Corners of the shapes around the origin, in units of the radius of a circle of about the same area. */
/** @type {{[name: string]: number[][] | null}} */
const SHAPES = {
  circle: null,
  "triangle-up": [[0, -1.35], [1.22, 0.84], [-1.22, 0.84]],
  square: ring(4, 1.25, Math.PI / 4),
  diamond: ring(4, 1.35, 0),
  x: turned(plus(1.45, 0.45), Math.PI / 4),
  star: star(5, 1.5, 0.62),
  hexagon: ring(6, 1.15, Math.PI / 6),
  cross: plus(1.4, 0.45),
};

/** Returns the corners of the shape of a class, or null for a circle. @param {number} label @param {Theme} theme */
export const cornersOf = (label, theme) => SHAPES[classShape(label, theme)];

/** @param {number} count @param {number} reach @param {number} turn */
function ring(count, reach, turn) {
  return Array.from({ length: count }, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / count;
    return [reach * Math.sin(angle), -reach * Math.cos(angle)];
  });
}

/** @param {number} points @param {number} far @param {number} near */
function star(points, far, near) {
  const [outer, inner] = [ring(points, far, 0), ring(points, near, Math.PI / points)];
  return outer.flatMap((corner, i) => [corner, inner[i]]);
}

/** @param {number} reach @param {number} half */
function plus(reach, half) {
  const arm = [[-half, -half], [-half, -reach], [half, -reach]];
  return [0, 1, 2, 3].flatMap((quarter) => turned(arm, (quarter * Math.PI) / 2));
}

/** @param {number[][]} corners @param {number} angle */
function turned(corners, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return corners.map(([x, y]) => [x * cos - y * sin, x * sin + y * cos]);
}

/**
 * Adds a shape, given by its corners, to the current path.
 * @param {Pen} context @param {number[][] | null} corners @param {number} x @param {number} y
 * @param {number} radius
 */
export function addGlyph(context, corners, x, y, radius) {
  if (!corners) {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  corners.forEach(([right, down], i) => {
    if (i) context.lineTo(x + right * radius, y + down * radius);
    else context.moveTo(x + right * radius, y + down * radius);
  });
  context.closePath();
}

/** The size of the outline that shows the predicted class, relative to the example. */
export const TAKEN_REACH = 2;

/**
 * Draws the current path as outlines in the colour of a class.
 * @param {Pen} context @param {number} label @param {Theme} theme
 */
export function inkOutline(context, label, theme) {
  context.lineJoin = "round";
  setLine(context, 3.6, theme.halo);
  context.stroke();
  setLine(context, 1.8, classInk(label, theme));
  context.stroke();
}

/**
 * Fills or outlines the current path as the glyphs of a class: filled for training, hollow for test examples.
 * @param {Pen} context @param {number} label @param {boolean} test @param {number} radius @param {Theme} theme
 */
export function inkGlyphs(context, label, test, radius, theme) {
  const width = Math.max(1.4, radius * 0.4);
  const ink = classInk(label, theme);
  if (test) {
    context.fillStyle = theme.halo;
    setLine(context, width, ink);
    context.fill();
    context.stroke();
  } else {
    context.fillStyle = ink;
    setLine(context, width * 0.75, theme.halo);
    context.stroke();
    context.fill();
  }
}

/** The dimensions of an icon. */
export const ICON = { side: 18, middle: 9, radius: 5 };

/** Returns an element with a small picture. @param {(context: CanvasRenderingContext2D) => void} paint */
export function createIcon(paint) {
  const canvas = document.createElement("canvas");
  const ratio = 2; // sharp on a projector, too, where icons are shown larger
  canvas.width = canvas.height = ICON.side * ratio;
  canvas.setAttribute("aria-hidden", "true");
  const context = penOf(canvas);
  context.scale(ratio, ratio);
  paint(context);
  return canvas;
}

/**
 * Draws the mark of a class in the middle of an icon.
 * @param {Pen} context @param {number} label @param {boolean} test @param {Theme} theme
 */
export function paintMark(context, label, test, theme, radius = ICON.radius) {
  context.beginPath();
  addGlyph(context, cornersOf(label, theme), ICON.middle, ICON.middle, radius);
  inkGlyphs(context, label, test, radius, theme);
}

/** Returns an element with the mark of a class. @param {number} label @param {Theme} theme */
export const createMark = (label, theme) => createIcon((context) => paintMark(context, label, false, theme));
