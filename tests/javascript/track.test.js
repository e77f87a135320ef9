import assert from "node:assert/strict";
import { test } from "node:test";
import { clamp, createCountTrack, createTrack, isLegal, readNumber } from "../../mdcore/browser/state/track.js";

const LOG = { log: true, low: 2 ** -10, high: 2 ** 10, zero: false, integer: false };
const LINEAR = { log: false, low: 0, high: 1, step: null, integer: false };

const TRACKS = {
  log: createTrack(LOG),
  "log with zero": createTrack({ ...LOG, zero: true }),
  linear: createTrack(LINEAR),
  integer: createTrack({ ...LINEAR, high: 40, integer: true }),
  count: createCountTrack(1000),
};

/** Returns the positions that a browser's slider can take. */
function positionsOf({ min, max, step }) {
  const count = step === "any" ? 200 : Math.round((max - min) / step);
  return Array.from({ length: count + 1 }, (_, i) => min + (i / count) * (max - min));
}

for (const [name, track] of Object.entries(TRACKS)) {
  test(`${name}: every value that a position stands for is found again`, () => {
    for (const value of positionsOf(track).map(track.toValue)) assert.equal(track.toValue(track.toPosition(value)), value);
  });

  test(`${name}: positions grow with values, and both ends are reached`, () => {
    const values = positionsOf(track).map(track.toValue);
    assert.deepEqual(values, [...values].sort((a, b) => a - b));
    assert.equal(track.toPosition(values[0]), track.min);
    assert.equal(track.toPosition(values.at(-1)), track.max);
  });

  test(`${name}: a step there and back is none, and no step leaves the track`, () => {
    const middle = track.toValue(positionsOf(track)[7]);
    assert.equal(track.move(track.move(middle, 1), -1), middle);
    assert.equal(track.move(middle, 1e6), track.toValue(track.max));
    assert.equal(track.move(middle, -1e6), track.toValue(track.min));
  });
}

test("a value off the slider stands at its end", () => {
  assert.equal(TRACKS.log.toPosition(1e9), 10);
  assert.equal(TRACKS.log.toPosition(0), -10);
  assert.equal(TRACKS["log with zero"].toValue(TRACKS["log with zero"].min), 0);
  assert.equal(clamp(7, 0, 3), 3);
});

test("a log position gives the number that is meant", () => {
  assert.equal(TRACKS.log.toValue(Math.log2(0.1)), 0.1);
});

test("legal is what the domain holds, its ends as they say", () => {
  const control = { legalLow: 0, legalHigh: null, openLow: true, openHigh: true, integer: false };
  assert.deepEqual([0, 1e-300, 1e300, Infinity, NaN].map((value) => isLegal(control, value)), [false, true, true, false, false]);
  assert.equal(isLegal({ ...control, openHigh: false }, Infinity), true);
  assert.equal(isLegal({ ...control, integer: true }, 1.5), false);
});

test("what is typed is read as a number where it is one", () => {
  assert.deepEqual(["0.5", "1e-3", " 2 ", "inf", "∞", "+Infinity", "scale", ""].map(readNumber), [0.5, 1e-3, 2, Infinity, Infinity, Infinity, "scale", ""]);
});
