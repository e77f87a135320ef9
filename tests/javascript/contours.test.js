import assert from "node:assert/strict";
import { test } from "node:test";

/** Records the corners of a path, a list for each of its pieces. */
globalThis.Path2D = class {
  pieces = [];
  moveTo(x, y) {
    this.pieces.push([{ x, y }]);
  }
  lineTo(x, y) {
    this.pieces.at(-1).push({ x, y });
  }
  addPath({ pieces }) {
    this.pieces.push(...pieces);
  }
};
const { borderPath, contourPath, numberPlace } = await import("../../mdcore/browser/canvas/contours.js");

const SIZE = 41;
const FRAME = { left: 10, top: 20, width: 400, height: 400, right: 410, bottom: 420 };
const STEP = FRAME.width / (SIZE - 1);

/** Returns the values of f on [-1, 1]², row by row from the bottom. */
const gridOf = (f) => Float64Array.from({ length: SIZE * SIZE }, (_, node) =>
  f((2 * (node % SIZE)) / (SIZE - 1) - 1, (2 * Math.floor(node / SIZE)) / (SIZE - 1) - 1));
const backToPlane = ({ x, y }) => ({ u: (2 * (x - FRAME.left)) / FRAME.width - 1, v: (2 * (FRAME.bottom - y)) / FRAME.height - 1 });

test("the contour of a plane is its line, in one piece from edge to edge", () => {
  const { pieces } = contourPath(gridOf((u, v) => u + 0.5 * v - 0.1), SIZE, 0, FRAME);
  assert.equal(pieces.length, 1);
  for (const { u, v } of pieces[0].map(backToPlane)) assert.ok(Math.abs(u + 0.5 * v - 0.1) < 1e-9);
  for (const end of [pieces[0][0], pieces[0].at(-1)]) assert.ok(Math.abs(Math.abs(backToPlane(end).v) - 1) < 1e-9);
});

test("a circle is one closed piece without jumps, near the circle", () => {
  const { pieces } = contourPath(gridOf((u, v) => u * u + v * v), SIZE, 0.5, FRAME);
  assert.equal(pieces.length, 1);
  const [piece] = pieces;
  assert.deepEqual(piece[0], piece.at(-1));
  for (const [i, point] of piece.entries()) {
    const { u, v } = backToPlane(point);
    assert.ok(Math.abs(Math.hypot(u, v) - Math.SQRT1_2) < 2e-3);
    if (i) assert.ok(Math.hypot(point.x - piece[i - 1].x, point.y - piece[i - 1].y) <= Math.SQRT2 * STEP + 1e-9);
  }
});

test("at a saddle the surface's own value says which corners belong together", () => {
  for (const [bias, pieces] of [[0.02, 2], [-0.02, 2]]) {
    const path = contourPath(gridOf((u, v) => u * v + bias), SIZE, 0, FRAME);
    assert.equal(path.pieces.length, pieces);
    for (const piece of path.pieces) for (const { u, v } of piece.map(backToPlane)) assert.ok(Math.abs(u * v + bias) < 2e-3);
  }
});

test("a level that is not reached has no contour, and grids of other sizes may follow each other", () => {
  assert.deepEqual(contourPath(gridOf(() => 1), SIZE, 0, FRAME).pieces, []);
  assert.equal(contourPath(Float64Array.of(-1, 1, -1, 1), 2, 0, FRAME).pieces.length, 1);
  assert.equal(contourPath(gridOf((u) => u), SIZE, 0, FRAME).pieces.length, 1);
});

test("the border between classes runs where the class changes", () => {
  const region = Uint8Array.from(gridOf((u) => (u < 0.33 ? 0 : 1)));
  for (const piece of borderPath(region, null, SIZE, 2, FRAME).pieces) {
    for (const { u } of piece.map(backToPlane)) assert.ok(Math.abs(u - 0.33) < 2 / (SIZE - 1));
  }
});

test("a pin's number stands on its contour, away from the others", () => {
  const field = gridOf((u, v) => u * u + v * v - 0.5);
  const first = numberPlace(field, SIZE, FRAME, []);
  const second = numberPlace(field, SIZE, FRAME, [{ place: first }]);
  for (const place of [first, second]) {
    const { u, v } = backToPlane(place);
    assert.ok(Math.abs(Math.hypot(u, v) - Math.SQRT1_2) < 2e-3);
  }
  assert.ok(Math.hypot(first.x - second.x, first.y - second.y) >= 0.12 * FRAME.width);
});
