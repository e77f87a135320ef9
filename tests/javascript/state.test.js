import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { createState } from "../../mdcore/browser/state/state.js";

const SCENE = { query: "data=moons&n=300&methods=svm,ldm&svm.C=10", source: "moons", methods: ["svm", "ldm"], values: { "svm.C": 10, "ldm.C": 1, gamma: "scale" } };
const CONTROLS = new Map([
  ["svm.C", { name: "svm.C", kind: "number", default: 1 }],
  ["ldm.C", { name: "ldm.C", kind: "number", default: 1 }],
  ["gamma", { name: "gamma", kind: "number", default: "scale" }],
]);
let state;

beforeEach(() => {
  state = createState();
  state.useKeys(CONTROLS, new Set(["view.t", "view.split"]));
  state.replace(SCENE.query);
  state.adopt(SCENE, { newest: true, first: true });
});

test("a value is the wanted one, else what Python resolved, else the default", () => {
  assert.equal(state.value("svm.C"), 10);
  assert.equal(state.value("ldm.C"), 1);
  assert.equal(state.value("gamma"), "scale");
  state.patch({ gamma: 0.5, "svm.C": null });
  assert.equal(state.value("gamma"), 0.5);
  assert.equal(state.value("svm.C"), 1); // drawn with 10, but no longer wanted
});

test("every change is another version; none is none", () => {
  const before = state.version;
  assert.deepEqual(state.patch({ "svm.C": 10 }), { changed: false, local: true });
  assert.equal(state.version, before);
  assert.deepEqual(state.patch({ "svm.C": 20 }), { changed: true, local: false });
  assert.equal(state.version, before + 1);
});

test("a key of the view needs no request", () => {
  assert.deepEqual(state.patch({ "view.t": 0.3, "view.split": "test" }), { changed: true, local: true });
  assert.equal(state.patch({ "view.t": 0.4, "svm.C": 2 }).local, false);
});

test("another sample drops the edits and the probe; infinity is written as a word", () => {
  state.patch({ edits: "d_3", "view.probe": 3 });
  state.patch({ "svm.C": Infinity });
  assert.ok(state.query.includes("edits=d_3") && state.query.includes("svm.C=inf"));
  assert.equal(state.value("svm.C"), Infinity);
  state.patch({ seed: 4 });
  assert.ok(!state.query.includes("edits") && !state.query.includes("probe"));
});

test("more time is given to one picture only", () => {
  state.patch({ "view.finish": 1 });
  state.patch({ "view.t": 0.5 });
  assert.ok(state.query.includes("view.finish"));
  state.patch({ "svm.C": 11 });
  assert.ok(!state.query.includes("view.finish"));
});

test("an answer is taken over in Python's spelling unless something newer is wanted, and the view stays", () => {
  state.patch({ "svm.C": 20, "view.t": 0.3 });
  const answered = { ...SCENE, query: "data=moons&n=300&methods=svm,ldm&svm.C=20.0" };
  state.adopt(answered, { newest: false, first: false });
  assert.ok(state.query.includes("svm.C=20") && !state.query.includes("20.0"));
  state.adopt(answered, { newest: true, first: false });
  assert.ok(state.query.includes("svm.C=20.0") && state.query.includes("view.t=0.3"));
});
