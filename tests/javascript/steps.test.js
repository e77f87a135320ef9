import assert from "node:assert/strict";
import { test } from "node:test";
import { niceStep } from "../../mdcore/browser/canvas/axes.js";
import { countUpTo, readingsAt } from "../../mdcore/browser/canvas/steps.js";

test("a cumulative curve is read exactly, ties included", () => {
  const ordered = Float64Array.of(-1, 0, 0, 0, 2);
  for (const t of [-2, -1, -0.5, 0, 1, 2, 3]) assert.equal(countUpTo(ordered, t), ordered.filter((value) => value <= t).length);
  const [reading] = readingsAt([
    { key: "svm", name: "SVM", color: "#000000", split: "train", ordered },
    { key: "svm", name: "SVM", color: "#000000", split: "test", ordered: ordered.subarray(0, 2) },
  ], 0);
  assert.deepEqual([reading.train, reading.test], [{ count: 4, of: 5 }, { count: 2, of: 2 }]);
});

test("ticks stand at 1, 2 or 5 times a power of ten, no more of them than asked for", () => {
  for (const span of [0.0037, 0.5, 1, 7, 123, 98765]) {
    for (const most of [1, 2, 5, 10]) {
      const step = niceStep(span, most);
      assert.ok(span / step <= most + 1e-9);
      assert.ok([1, 2, 5].some((lead) => Math.abs(Math.log10(step / lead) - Math.round(Math.log10(step / lead))) < 1e-9));
    }
  }
});
