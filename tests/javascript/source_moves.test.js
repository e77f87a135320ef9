import assert from "node:assert/strict";
import { test } from "node:test";
import { createSourceMoves } from "../../mdcore/browser/state/source_moves.js";
import { parseQuery } from "../../mdcore/browser/state/query.js";

const options = (...names) => names.map((name) => ({ name }));
const MOONS = { key: "moons", options: options("n", "noise", "seed"), defaults: { scaling: "none", gamma: "scale" } };
const WINE = { key: "wine", options: options("keep", "seed"), defaults: { scaling: "standard", gamma: "scale" } };
const IRIS = { key: "iris", options: options("keep", "seed"), defaults: { scaling: "standard", gamma: "scale" } };
const TEXT = { key: "text", options: options("seed"), defaults: { scaling: "none", gamma: "scale", kernel: "linear" } };
const OPENING = parseQuery("data=moons&n=300&noise=0.25&seed=0&kernel=rbf&gamma=1&methods=svm,ldm");
const SHOWN = parseQuery("data=moons&n=300&noise=0.25&seed=0&scaling=none&kernel=rbf&gamma=1&degree=3&methods=svm,ldm");

/** Returns the query after a change, as the state makes it; Python fills in the source's own defaults. */
function after(query, patch) {
  const next = new Map(query);
  for (const [key, value] of Object.entries(patch)) value === null ? next.delete(key) : next.set(key, String(value));
  return next;
}

test("a source brings its scaling, kernel and width; options of the one before go", () => {
  const wine = after(SHOWN, createSourceMoves().to(MOONS, WINE, SHOWN, OPENING, { keep: "a,b" }));
  assert.deepEqual([wine.get("data"), wine.get("scaling"), wine.get("gamma"), wine.get("kernel")], ["wine", "standard", "scale", "rbf"]);
  assert.deepEqual([wine.has("n"), wine.has("noise"), wine.get("keep"), wine.get("methods")], [false, false, "a,b", "svm,ldm"]);
  assert.equal(after(SHOWN, createSourceMoves().to(MOONS, TEXT, SHOWN, OPENING)).get("kernel"), "linear");
});

test("a choice made by hand goes along where it means the same", () => {
  const chosen = after(SHOWN, { scaling: "unit", kernel: "laplacian", gamma: "distance" });
  const wine = after(chosen, createSourceMoves().to(MOONS, WINE, chosen, OPENING));
  assert.deepEqual([wine.get("scaling"), wine.get("kernel"), wine.get("gamma")], ["unit", "laplacian", "distance"]);
  const raw = after(parseQuery("data=wine&scaling=none&kernel=rbf&gamma=7"), {});
  const iris = after(raw, createSourceMoves().to(WINE, IRIS, raw, OPENING));
  assert.deepEqual([iris.get("scaling"), iris.get("gamma")], ["standard", "scale"]);
});

test("a source that was left is found as it was, edits and seed included", () => {
  const moves = createSourceMoves();
  const edited = after(SHOWN, { noise: 0.4, gamma: 3, seed: 7, edits: "d_3" });
  const wine = after(edited, { ...moves.to(MOONS, WINE, edited, OPENING), seed: 9, edits: null });
  assert.deepEqual(after(wine, moves.to(WINE, MOONS, wine, OPENING)), edited);
});

test("back at the page's first data without a memory of them, they are those of its first picture", () => {
  const wine = parseQuery("data=wine&seed=0&scaling=standard&kernel=rbf&gamma=scale&methods=svm,ldm");
  const moons = after(wine, createSourceMoves().to(WINE, MOONS, wine, OPENING));
  assert.deepEqual([moons.get("n"), moons.get("noise"), moons.get("gamma"), moons.get("scaling")], ["300", "0.25", "1", "none"]);
});
