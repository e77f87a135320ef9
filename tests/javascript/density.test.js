import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsOf } from "../../mdcore/browser/canvas/density.js";

const placed = {
  count: 5,
  px: [0.5, 3.9, 4.1, 1, 2],
  py: [0.5, 3.9, 0.5, 1, 2],
  shown: [1, 1, 1, 1, 0],
  label: [0, 1, 1, 1, 0],
  error: [0, 1, 0, 0, 1],
};

test("every shown example is in one cell, with its class and its error", () => {
  const cells = cellsOf(placed, 2, 4);
  assert.deepEqual(cells, [
    { x: 0, y: 0, counts: [1, 2], errors: 1, total: 3 },
    { x: 4, y: 0, counts: [0, 1], errors: 0, total: 1 },
  ]);
});

test("places left of the frame and above it have cells of their own", () => {
  const cells = cellsOf({ ...placed, px: [-0.5, 0.5, -4.5, 0.5, 0], py: [0.5, -0.5, 0.5, 0.5, 0] }, 2, 4);
  assert.deepEqual(cells.map(({ x, y }) => [x, y]), [[-4, 0], [0, -4], [-8, 0], [0, 0]]);
});
