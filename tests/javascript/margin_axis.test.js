import assert from "node:assert/strict";
import { test } from "node:test";
import { createLanes, labelMarks, marginLabel } from "../../mdcore/browser/charts/margin_axis.js";

const pen = { measureText: (text) => ({ width: text.length }) };
const scene = (scale, classes, panels = []) => ({ values: { scale }, classes: Array(classes).fill(""), panels });

test("with two classes the axis shows y f(x), over the norm on the geometric scale", () => {
  assert.equal(marginLabel(scene("functional", 2), 99, pen), "margin y f(x) (functional)");
  assert.equal(marginLabel(scene("geometric", 2), 99, pen), "margin y f(x) / ‖w‖ (geometric)");
  assert.equal(marginLabel(scene("geometric", 2), 20, pen), "margin (geometric)");
});

test("with several classes it does not show y f(x)", () => {
  assert.equal(marginLabel(scene("geometric", 3), 99, pen), "margin: distance to the nearest boundary of the class (geometric)");
  assert.equal(marginLabel(scene("geometric", 3), 50, pen), "distance to the nearest boundary (geometric)");
  assert.equal(marginLabel(scene("functional", 3), 99, pen), "margin: lead of the true class over every other (functional)");
  for (const scale of ["functional", "geometric"]) assert.ok(!marginLabel(scene(scale, 3), 99, pen).includes("y f(x)"));
});

test("methods whose margins count votes are named on the axis", () => {
  const voting = scene("geometric", 3, [{ name: "ovoSVM", votes: true }, { name: "mcSVM", votes: false }]);
  assert.match(marginLabel(voting, 99, pen), /; ovoSVM: share of votes$/);
  assert.equal(marginLabel(voting, 10, pen), "margin (geometric); ovoSVM: votes");
});

test("a mark outside the window is named with its place, once", () => {
  const words = (stated, low) => {
    const told = [];
    const context = { ...pen, strokeText() {}, fillText: (text) => told.push(text) };
    const frame = { x: { low: -0.5, high: 0.5 }, toX: (value) => 200 + 200 * value };
    labelMarks(context, [{ label: "hinge", low, high: low, stated }], frame, createLanes(0, 12, 2, 0, 400), "black", {}, {});
    return told;
  };
  assert.deepEqual(words(1, 1), ["hinge ▸"]);
  assert.deepEqual(words(1, 0.75), ["hinge: 0.75 ▸"]);
  assert.deepEqual(words(null, -2), ["◂ hinge: −2"]);
  assert.deepEqual(words(1, 0), ["hinge"]);
});
