/** The decision function as colour, and its contours. */

import { fieldRamp, rampIndex } from "./theme.js";

/** Keeps one small picture of a field and repaints its pixels only when the field, the ramp or the theme changed. */
export function createFieldPicture() {
  const picture = document.createElement("canvas");
  const context = picture.getContext("2d");
  let image = null;
  let words = null;
  let painted = null;
  let ramp = null;
  let rampTheme = null;
  let rampUnit = 0;

  function paint(field, size, unit, theme) {
    if (rampTheme !== theme || rampUnit !== unit) {
      ramp = fieldRamp(theme, unit);
      rampTheme = theme;
      rampUnit = unit;
      painted = null;
    }
    if (painted === field) return;
    painted = field;
    if (picture.width !== size || !image) {
      picture.width = picture.height = size;
      image = context.createImageData(size, size);
      words = new Uint32Array(image.data.buffer);
    }
    for (let row = 0; row < size; row++) {
      const from = row * size;
      const to = (size - 1 - row) * size; // the field's first row is the lowest
      for (let column = 0; column < size; column++) words[to + column] = ramp[rampIndex(field[from + column])];
    }
    context.putImageData(image, 0, 0);
  }

  return {
    /** Field values stand on grid nodes, the outermost ones on the frame: half a pixel is left out on each side. */
    draw(target, frame, field, size, unit, theme) {
      paint(field, size, unit, theme);
      target.imageSmoothingEnabled = true;
      target.imageSmoothingQuality = "medium";
      target.drawImage(picture, 0.5, 0.5, size - 1, size - 1, frame.left, frame.top, frame.width, frame.height);
    },
  };
}

/**
 * Marching squares whose segments are joined, so that dashes run evenly along a contour. A crossing lies on an edge of
 * the grid: edge `node` runs right from its node, edge `node + nodes` up. Each crossing has at most two neighbours.
 */
export function createContourTracer() {
  let nodes = 0;
  let first = null;
  let second = null;
  let crossed = null;
  let count = 0;

  function reserve(size) {
    if (nodes === size * size) return;
    nodes = size * size;
    first = new Int32Array(2 * nodes).fill(-1);
    second = new Int32Array(2 * nodes).fill(-1);
    crossed = new Int32Array(2 * nodes);
  }

  function join(edge, other) {
    if (first[edge] < 0) {
      first[edge] = other;
      crossed[count++] = edge;
    } else {
      second[edge] = other;
    }
  }

  function link(a, b) {
    join(a, b);
    join(b, a);
  }

  function collect(field, size, level) {
    for (let row = 0; row < size - 1; row++) {
      for (let node = row * size, last = node + size - 1; node < last; node++) {
        const a = field[node];
        const b = field[node + 1];
        const c = field[node + size + 1];
        const d = field[node + size];
        const above = (a > level ? 1 : 0) | (b > level ? 2 : 0) | (c > level ? 4 : 0) | (d > level ? 8 : 0);
        if (above === 0 || above === 15) continue;
        const bottom = node;
        const right = node + 1 + nodes;
        const top = node + size;
        const left = node + nodes;
        if (above === 5 || above === 10) {
          // A saddle: the bilinear surface's own value at its saddle point says which corners are connected.
          const centre = (a * c - b * d) / (a + c - b - d);
          if (centre > level === (above === 5)) {
            link(bottom, right);
            link(top, left);
          } else {
            link(bottom, left);
            link(top, right);
          }
        } else if (above === 1 || above === 14) link(bottom, left);
        else if (above === 2 || above === 13) link(bottom, right);
        else if (above === 4 || above === 11) link(right, top);
        else if (above === 8 || above === 7) link(top, left);
        else if (above === 3 || above === 12) link(left, right);
        else link(bottom, top);
      }
    }
  }

  /** Calls `step(column, row, begins)` along every contour of the level, in grid units, and forgets it. */
  function walk(field, size, level, start, step) {
    let before = -1;
    let edge = start;
    let begins = true;
    while (edge >= 0) {
      const upright = edge >= nodes;
      const node = upright ? edge - nodes : edge;
      const from = field[node];
      const share = (level - from) / (field[upright ? node + size : node + 1] - from);
      const column = node % size;
      const row = (node - column) / size;
      step(upright ? column : column + share, upright ? row + share : row, begins);
      begins = false;
      if (first[edge] < 0) return; // a closed contour is back at its start
      const next = first[edge] === before ? second[edge] : first[edge];
      first[edge] = second[edge] = -1;
      before = edge;
      edge = next;
    }
  }

  return {
    trace(field, size, level, step) {
      reserve(size);
      count = 0;
      collect(field, size, level);
      for (let i = 0; i < count; i++) if (first[crossed[i]] >= 0 && second[crossed[i]] < 0) walk(field, size, level, crossed[i], step);
      for (let i = 0; i < count; i++) if (first[crossed[i]] >= 0) walk(field, size, level, crossed[i], step);
    },
  };
}
