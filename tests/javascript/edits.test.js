import assert from "node:assert/strict";
import { test } from "node:test";
import { addition, flip, movement, pendingEdits, removal } from "../../mdcore/browser/state/edits.js";

const AT = { x: 0.123456, y: -1, perPixelX: 0.01, perPixelY: 0.01 };

test("edits are told apart by their row, the last move and the last flip hold", () => {
  let text = addition(null, AT, 1);
  assert.equal(text, "a_0.12_-1_1");
  text = movement(text, 12, AT);
  text = movement(text, 1, AT);
  text = movement(text, 12, { ...AT, x: 3 });
  assert.equal(text, "a_0.12_-1_1~m_1_0.12_-1~m_12_3_-1");
  assert.equal(flip(flip(text, 1), 1), text);
  assert.equal(removal(flip(text, 1), 1), "a_0.12_-1_1~m_12_3_-1~d_1");
});

test("what is not drawn yet is told, and nothing where all is", () => {
  assert.equal(pendingEdits("d_1", "d_1"), null);
  assert.equal(pendingEdits(null, ""), null);
  const pending = pendingEdits("a_1_2_0~m_3_4_5~f_6~d_7~d_1", "d_1~f_8");
  assert.deepEqual(pending, {
    moved: new Map([[3, { x: 4, y: 5 }]]),
    flipped: new Set([6, 8]), // the flip of row 8 was removed
    dropped: new Set([7]),
    added: [{ x: 1, y: 2, label: 0 }],
  });
});
