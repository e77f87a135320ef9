/** Many examples, drawn as counts per cell because they would cover each other. */

import { classInk } from "../shell/theme.js";

/**
 * @typedef {{x: number, y: number, counts: number[], errors: number, total: number}} Cell
 * @typedef {{[name in "px" | "py" | "shown" | "label" | "error"]: ArrayLike<number>} & {count: number}} Placed
 */

export const DENSE = 5000; // from this number of examples on
const SIDE = 4;
const FAINTEST = 0.25;

/**
 * Counts the shown examples of each cell by class, and those on the wrong side of the boundary.
 * @param {Placed} placed @param {number} classes @param {number} side
 * @returns {Cell[]}
 */
export function cellsOf({ count, px, py, shown, label, error }, classes, side = SIDE) {
  /** @type {Map<number, Cell>} */
  const cells = new Map();
  for (let i = 0; i < count; i++) {
    if (!shown[i]) continue;
    const [across, down] = [Math.floor(px[i] / side), Math.floor(py[i] / side)];
    const key = across * 65536 + down;
    let cell = cells.get(key);
    if (!cell) {
      cell = { x: across * side, y: down * side, counts: new Array(classes).fill(0), errors: 0, total: 0 };
      cells.set(key, cell);
    }
    cell.counts[label[i]] += 1;
    cell.errors += error[i] ? 1 : 0;
    cell.total += 1;
  }
  return [...cells.values()];
}

/**
 * Draws the cells: the most frequent class fills a cell, the others are squares inside with areas of their shares, and a
 * dark square is the share of errors. The more examples a cell has, the more opaque it is.
 * @param {Pen} context @param {Cell[]} cells @param {Theme} theme
 */
export function drawDensity(context, cells, theme, side = SIDE) {
  const typical = cells.reduce((sum, { total }) => sum + total, 0) / Math.max(1, cells.length);
  const opacity = context.globalAlpha;
  for (const { x, y, counts, errors, total } of cells) {
    context.globalAlpha = opacity * (FAINTEST + (1 - FAINTEST) * (1 - Math.exp(-total / typical)));
    let left = total;
    const order = counts.map((_, l) => l).filter((l) => counts[l]).sort((a, b) => counts[b] - counts[a]);
    for (const l of order) {
      square(context, x, y, side, left / total, classInk(l, theme));
      left -= counts[l];
    }
    if (errors) square(context, x, y, side, (0.5 * errors) / total, theme.text);
  }
  context.globalAlpha = opacity;
}

/**
 * Draws a square that covers a share of the cell, in its middle.
 * @param {Pen} context @param {number} x @param {number} y @param {number} side @param {number} share @param {string} ink
 */
function square(context, x, y, side, share, ink) {
  const size = side * Math.sqrt(share);
  context.fillStyle = ink;
  context.fillRect(x + (side - size) / 2, y + (side - size) / 2, size, size);
}
