import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cornersOf } from "../../mdcore/browser/canvas/glyphs.js";
import { classInk, classShape, createThemes } from "../../mdcore/browser/shell/theme.js";

const { classMarks, marks } = JSON.parse(readFileSync(process.env.FACTS));
const themes = createThemes(classMarks);

test("every class has Python's shape and colour, those beyond the alphabet too", () => {
  for (const [label, { shape, light, dark }] of marks.entries()) {
    assert.equal(classShape(label, themes.light), shape);
    assert.deepEqual([classInk(label, themes.light), classInk(label, themes.dark)], [light, dark]);
  }
});

test("every shape can be drawn, and no two alike", () => {
  const drawn = classMarks.map((_, label) => JSON.stringify(cornersOf(label, themes.light)));
  assert.ok(!drawn.includes(undefined));
  assert.equal(new Set(drawn).size, classMarks.length);
});
