/**
 * Contours of a field on a grid, as paths in pixels.
 *
 * @typedef {ArrayLike<number>} Grid
 * @typedef {(column: number, row: number, begins: boolean) => void} ContourStep
 */

import { clamp } from "../state/track.js";

/**
 * Traces contours by marching squares, and joins the segments so that dashes run evenly. A crossing lies on an edge of
 * the grid: edge `node` runs right from its node, edge `node + nodes` up. Each crossing has at most two neighbours.
 */
function createContourTracer() {
  let nodes = 0;
  let first = new Int32Array();
  let second = new Int32Array();
  let crossed = new Int32Array();
  let count = 0;

  /** @param {number} size */
  function reserve(size) {
    if (nodes === size * size) return;
    nodes = size * size;
    first = new Int32Array(2 * nodes).fill(-1);
    second = new Int32Array(2 * nodes).fill(-1);
    crossed = new Int32Array(2 * nodes);
  }

  /** @param {number} edge @param {number} other */
  function join(edge, other) {
    if (first[edge] < 0) {
      first[edge] = other;
      crossed[count++] = edge;
    } else {
      second[edge] = other;
    }
  }

  /** @param {number} a @param {number} b */
  function link(a, b) {
    join(a, b);
    join(b, a);
  }

  /** @param {Grid} field @param {number} size @param {number} level */
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
          // At a saddle, the value of the bilinear surface at its saddle point decides which corners are connected.
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

  /**
   * Calls `step(column, row, begins)` along the contour from `start`, in grid units, and removes it.
   * @param {Grid} field @param {number} size @param {number} level @param {number} start @param {ContourStep} step
   */
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
      if (first[edge] < 0) return; // a closed contour has returned to its start
      const next = first[edge] === before ? second[edge] : first[edge];
      first[edge] = second[edge] = -1;
      before = edge;
      edge = next;
    }
  }

  return {
    /** @param {Grid} field @param {number} size @param {number} level @param {ContourStep} step */
    trace(field, size, level, step) {
      reserve(size);
      count = 0;
      collect(field, size, level);
      for (let i = 0; i < count; i++) if (first[crossed[i]] >= 0 && second[crossed[i]] < 0) walk(field, size, level, crossed[i], step);
      for (let i = 0; i < count; i++) if (first[crossed[i]] >= 0) walk(field, size, level, crossed[i], step);
    },
  };
}

const tracer = createContourTracer();

/**
 * @param {number} level in the units of the field
 * @param {Grid} field @param {number} size @param {Frame} frame
 */
export function contourPath(field, size, level, frame) {
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

/**
 * Returns the borders between classes on a grid; a border runs nearer to the less certain node.
 * @param {Uint8Array} region @param {Uint8Array | null | undefined} certainty @param {number} size
 * @param {number} classes @param {Frame} frame
 */
export function borderPath(region, certainty, size, classes, frame) {
  const path = new Path2D();
  for (let label = 0; label < classes; label++) {
    const inside = Int16Array.from(region, (other, node) => (other === label ? 1 : -1) * (1 + (certainty ? certainty[node] : 0)));
    path.addPath(contourPath(inside, size, 0, frame));
  }
  return path;
}

/**
 * Returns a place on the zero contour for the number of a pin: towards the top right, away from the other numbers.
 * @param {Grid} field @param {number} size @param {Frame} frame @param {{place: Point | null}[]} others
 */
export function numberPlace(field, size, frame, others) {
  const goalX = frame.left + 0.75 * frame.width;
  const goalY = frame.top + 0.08 * frame.height;
  const clear = 0.12 * frame.width;
  let least = Infinity;
  /** @type {Point | null} */
  let place = null;
  tracer.trace(field, size, 0, (column, row) => {
    const x = frame.left + (column / (size - 1)) * frame.width;
    const y = frame.bottom - (row / (size - 1)) * frame.height;
    const distance = Math.hypot(x - goalX, y - goalY);
    if (distance >= least || others.some(({ place: other }) => other && Math.hypot(x - other.x, y - other.y) < clear)) return;
    least = distance;
    place = { x, y };
  });
  return place;
}

/**
 * Returns the point of a contour nearest to a place; for a `straight` contour, the foot of the perpendicular, which may
 * be outside the frame.
 * @param {Grid} field @param {number} size @param {number} level @param {Frame} frame @param {Point} place
 * @param {boolean} straight
 * @returns {Point | null}
 */
export function nearestOnContour(field, size, level, frame, place, straight) {
  let least = Infinity;
  /** @type {Point | null} */
  let nearest = null;
  /** @type {Point | null} */
  let first = null;
  let last = { x: 0, y: 0 };
  tracer.trace(field, size, level, (column, row, begins) => {
    const here = { x: frame.left + (column / (size - 1)) * frame.width, y: frame.bottom - (row / (size - 1)) * frame.height };
    const candidate = begins ? here : footOn(last, here, place, false);
    const distance = Math.hypot(candidate.x - place.x, candidate.y - place.y);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
    first ??= here;
    last = here;
  });
  return straight && first ? footOn(first, last, place, true) : nearest;
}

/**
 * Returns the point nearest to a place on a segment, or on the whole `line` through it.
 * @type {(a: Point, b: Point, place: Point, line: boolean) => Point}
 */
function footOn(a, b, place, line) {
  const across = b.x - a.x;
  const down = b.y - a.y;
  const length = across * across + down * down;
  if (length === 0) return a;
  const share = ((place.x - a.x) * across + (place.y - a.y) * down) / length;
  const limited = line ? share : clamp(share, 0, 1);
  return { x: a.x + limited * across, y: a.y + limited * down };
}
