import assert from "node:assert/strict";
import { test } from "node:test";
import { missingWords } from "../../mdcore/browser/charts/charts.js";

const chart = (title, reason) => ({ title, missing: () => reason });

test("charts without anything to draw are named once, each reason once", () => {
  const charts = [chart("Curves", ""), chart("A", "switch on X"), chart("B", "fixed"), chart("C", "switch on X")];
  assert.equal(missingWords(charts, {}), "Not shown: “A”, “C”: switch on X; “B”: fixed.");
  assert.equal(missingWords([chart("Curves", "")], {}), "");
});
