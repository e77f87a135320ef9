import assert from "node:assert/strict";
import { test } from "node:test";
import { createFrame } from "../../mdcore/browser/canvas/axes.js";
import { nearest } from "../../mdcore/browser/charts/live_plot.js";

const FRAME = createFrame(0, 0, 100, 100, { low: 0, high: 1 }, { low: 0, high: 1 });
const line = (name, x, y, told = true) => ({ name, x, y, told });

test("the pointer is told the nearest point of the lines that tell theirs", () => {
  const lines = [line("a", [0.2, 0.5], [0.5, 0.5]), line("silent", [0.4], [0.5], false), line("b", [0.9], [0.5])];
  assert.deepEqual(nearest(FRAME, lines, 41, 50), { name: "a", x: 0.5, y: 0.5 });
  assert.deepEqual(nearest(FRAME, lines, 88, 50), { name: "b", x: 0.9, y: 0.5 });
});

test("of what is far, and of gaps, nothing is told", () => {
  assert.equal(nearest(FRAME, [line("a", [0.2, null], [0.5, null])], 60, 50), null);
});
