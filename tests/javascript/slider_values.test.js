import assert from "node:assert/strict";
import { test } from "node:test";
import { asQuery, moved, setValues } from "../../mdcore/browser/state/slider_values.js";

const slider = (name, value, set, follows = null) => ({ name, value, set, follows });
const SLIDERS = [slider("ratio", 2, true), slider("threshold", 0.5, false, "ratio")];

test("what Python has chosen is not set", () => {
  assert.deepEqual(setValues(SLIDERS), { ratio: 2 });
});

test("what is dragged is set beside the rest, and asked for as a query", () => {
  const values = moved(SLIDERS, setValues(SLIDERS), "threshold", -0.25);
  assert.deepEqual(values, { ratio: 2, threshold: -0.25 });
  assert.equal(asQuery(values), "ratio=2&threshold=-0.25");
});

test("one that follows another is let go when that one is moved", () => {
  assert.deepEqual(moved(SLIDERS, { ratio: 2, threshold: 0.5 }, "ratio", 8), { ratio: 8 });
});

test("a value set by hand can be let go", () => {
  const values = { ratio: 2, threshold: 0.5 };
  assert.deepEqual(moved(SLIDERS, values, "threshold", null), { ratio: 2 });
  assert.deepEqual(values, { ratio: 2, threshold: 0.5 });
});
