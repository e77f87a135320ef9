import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as format from "../../mdcore/browser/shell/format.js";

const CASES = JSON.parse(readFileSync(new URL("../numbers.json", import.meta.url)));
const SPECIAL = { nan: NaN, inf: Infinity, "-inf": -Infinity, "-0": -0 };
const inCamelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

for (const [name, given, written] of CASES) {
  test(`${name}(${given}) is written ${written}, as Python writes it`, () => {
    const values = given.map((value) => SPECIAL[value] ?? value);
    assert.equal(format[inCamelCase(name)](...values), written);
  });
}

test("a word stands as it is", () => {
  assert.equal(format.short("scale"), "scale");
});

test("a change has a sign, and the decimal places of the numbers that it connects", () => {
  const cases = [
    [0.139, 0.111, "−0.028"], [0.00198, 0.00125, "−0.00073"], [0.9668, 0.9716, "+0.005"], [0.9952, 1, "+0.005"],
    [0.5, 0.5, "±0"], [0.5, 0.50001, "≈0"], [1e-5, 3e-5, "+2 × 10⁻⁵"], [0, -0.25, "−0.25"], [120.2, 12.3, "−108"],
    [null, 1, "–"], [1, null, "–"], [1, Infinity, "–"],
  ];
  for (const [before, now, written] of cases) assert.equal(format.change(before, now), written);
});

test("the name of a class below zero has a minus sign", () => {
  assert.deepEqual(["-1", "1", "-2.5", "a-1", "-"].map(format.labelText), ["−1", "1", "−2.5", "a-1", "-"]);
});

test("a number field shows the exact value where it has room", () => {
  assert.deepEqual([0.0625, 1024, 0.123456789, 1 / 3e7].map(format.field), ["0.0625", "1024", "0.123", "3.33e-8"]);
});

test("durations and counts", () => {
  assert.deepEqual([-0, 0, 12345].map(format.thousands), ["0", "0", "12,345"]);
  assert.deepEqual([0.01234, 2.5, null].map(format.elapsed), ["12 ms", "2.5 s", "–"]);
  assert.deepEqual([format.plural(1, "pass", "passes"), format.plural(2000, "pass", "passes"), format.plural(0, "update")], ["1 pass", "2,000 passes", "0 updates"]);
});

test("a share that is not all is not written as all of it", () => {
  assert.deepEqual([1, 0.99996, 0.9995, 0.9994, 0.5, 0, null].map(format.rate), ["1.00", "0.9999", "0.9995", "0.999", "0.500", "0", "–"]);
});
