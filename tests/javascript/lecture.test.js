import assert from "node:assert/strict";
import { test } from "node:test";
import { backward, onward, placeOf, searchOf } from "../../mdcore/browser/lecture/deck.js";
import { areaBetween, quantile, quantiles } from "../../mdcore/browser/questions/score.js";

test("going on asks and reveals every step once, and stops at the end", () => {
  const seen = [];
  let place = { step: 1, phase: "ask" };
  for (let i = 0; i < 20; i += 1) {
    seen.push(`${place.step} ${place.phase}`);
    place = onward(place, 3);
  }
  assert.deepEqual([...new Set(seen)], ["1 ask", "1 reveal", "2 ask", "2 reveal", "3 ask", "3 reveal"]);
  assert.deepEqual(place, { step: 3, phase: "reveal" });
});

test("going back undoes going on, and leaves play for the reveal", () => {
  for (const place of [{ step: 1, phase: "ask" }, { step: 1, phase: "reveal" }, { step: 2, phase: "ask" }]) {
    assert.deepEqual(backward(onward(place, 3)), place);
  }
  assert.deepEqual(backward({ step: 2, phase: "play" }), { step: 2, phase: "reveal" });
  assert.deepEqual(backward({ step: 1, phase: "ask" }), { step: 1, phase: "ask" });
});

test("an address holds the place, keeps what else it has, and is read within the lesson", () => {
  const place = { step: 4, phase: "reveal" };
  const search = searchOf("?lesson=mine&embed=true&step=1", place);
  assert.deepEqual(placeOf(search, 9), place);
  assert.match(search, /lesson=mine/);
  assert.match(search, /embed=true/);
  for (const [given, step] of [["", 1], ["?step=0", 1], ["?step=99", 9], ["?step=x", 1], ["?step=-3", 1]]) {
    assert.equal(placeOf(given, 9).step, step);
  }
});

test("quantiles and the area between curves are those that Python computes", () => {
  assert.deepEqual(quantiles([0, 1, 4], 5), [0, 0.5, 1, 2.5, 4]);
  assert.equal(quantile([7], 0.25), 7);
  const levels = Array.from({ length: 21 }, (_, at) => at / 20);
  assert.equal(areaBetween(levels, levels), 0);
  assert.ok(Math.abs(areaBetween(levels.map((x) => x + 0.2), levels) - 0.2) < 1e-12);
  assert.ok(Math.abs(areaBetween(levels, levels.map(() => 0)) - 0.5) < 1e-12);
});
