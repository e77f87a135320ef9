import assert from "node:assert/strict";
import { test } from "node:test";
import { formatQuery, isView, parseQuery, recipe, toSearch } from "../../mdcore/browser/state/query.js";

const QUERY = "data=moons&edits=a_0.5_-1_1~m_3_0_2&methods=svm,ldm&view.pin1=data%3Dmoons%26methods%3Dsvm&view.t=0.25";

test("a query is read and written without loss, readable where it may be", () => {
  assert.equal(formatQuery(parseQuery(QUERY)), QUERY);
  const odd = new Map([["name", "a&b=c d,ü~:%+"], ["λ", ""]]);
  assert.deepEqual(parseQuery(formatQuery(odd)), odd);
  assert.equal(formatQuery(new Map([["a", "x y"]])), "a=x+y");
});

test("Streamlit's own keys stay in the address and out of the state", () => {
  globalThis.location = { search: "?embed=true&data=circles", pathname: "/" };
  assert.deepEqual([...parseQuery("?embed=true&data=moons").keys()], ["data"]);
  assert.equal(toSearch("data=moons"), "?data=moons&embed=true");
  location.search = "";
  assert.equal(toSearch(""), "/");
});

test("the recipe is the state without its view", () => {
  assert.deepEqual([...recipe(parseQuery(QUERY)).keys()], ["data", "edits", "methods"]);
});

test("a key of the view is told by its beginning", () => {
  assert.deepEqual(["view.t", "view.pin1", "svm.C"].map(isView), [true, true, false]);
});
