import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { completed, decode } from "../../mdcore/browser/state/message.js";

const message = new Uint8Array(readFileSync(process.env.MESSAGE)); // written by Python: test_javascript.py

function checkScene({ id, name, arrays }) {
  assert.deepEqual({ id, name }, { id: 7, name: "λ₁ −½" });
  assert.deepEqual(arrays, {
    bytes: new Uint8Array([1, 0, 255]),
    field: new Int16Array([-32000, 0, 1, 32000]),
    "margin:svm": new Float64Array([-1.5, Math.PI]),
    nothing: new Float32Array([]),
    row: new Int32Array([70_000, -1]),
  });
}

test("what Python packs is read, wherever in its buffer the message begins", () => {
  for (let start = 0; start < 9; start++) {
    const buffer = new Uint8Array(start + message.length);
    buffer.set(message, start);
    checkScene(decode(buffer.subarray(start)));
  }
});

test("arrays that are not sent again are those of the picture before", () => {
  const before = { arrays: { row: new Int32Array([1]), "field:svm": new Int16Array([2]) } };
  const sent = { kept: ["row"], arrays: { "field:svm": new Int16Array([3]) } };
  const whole = completed(sent, before);
  assert.equal(whole.arrays.row, before.arrays.row);
  assert.equal(whole.arrays["field:svm"], sent.arrays["field:svm"]);
  assert.equal(completed({ error: {} }, before).arrays, undefined);
});
