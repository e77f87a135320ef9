import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { createFlow } from "../../mdcore/browser/state/flow.js";

const PAGE = "run 1";
let posted;
let told;
let flow;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1000 });
  posted = [];
  told = [];
  flow = createFlow((request) => posted.push(request), {
    onBusy: () => told.push("busy"),
    onStale: () => told.push("stale"),
    onSilent: () => told.push("silent"),
  });
  flow.settle(0, PAGE); // the first message of the page answers nothing
});

const ask = (query, more = {}) => flow.request({ query, version: 1, ...more });
const answer = (at = posted.length - 1, run = PAGE) => flow.settle(posted[at].id, run);

test("one request is in flight, and of those that wait the newest alone is sent", () => {
  for (const query of ["a", "b", "c", "d"]) ask(query);
  assert.deepEqual(posted.map(({ query }) => query), ["a"]);
  assert.equal(answer().query, "a");
  assert.deepEqual(posted.map(({ query }) => query), ["a", "d"]);
  assert.equal(flow.busy, true);
  assert.equal(answer().query, "d");
  assert.equal(flow.busy, false);
});

test("what a request brings or fetches goes with the one that overtakes it", () => {
  const table = { key: "own" };
  ask("a");
  ask("b", { table });
  ask("c", { save: true });
  ask("d");
  answer();
  assert.deepEqual([posted[1].query, posted[1].table, posted[1].save], ["d", table, true]);
});

test("numbers of requests grow, beyond those of a stage that stood here before", () => {
  ask("a");
  answer();
  ask("b");
  assert.ok(posted[0].id > 1000 && posted[1].id > posted[0].id);
});

test("an answer to another request settles nothing", () => {
  ask("a");
  assert.equal(flow.settle(posted[0].id - 1, PAGE), null);
  assert.equal(flow.busy, true);
});

test("what is unanswered when the whole page runs again is asked again", () => {
  ask("a");
  ask("b", { save: true });
  assert.equal(flow.settle(0, "run 2"), null);
  assert.deepEqual(posted.map(({ query }) => query), ["a", "b"]);
  assert.equal(posted[1].save, true);
});

test("the picture is marked as old only when it is, and silence is told", () => {
  ask("a");
  mock.timers.tick(149);
  assert.deepEqual(told, ["busy"]);
  mock.timers.tick(1);
  assert.deepEqual(told, ["busy", "stale"]);
  mock.timers.tick(20_000);
  assert.deepEqual(told, ["busy", "stale", "silent"]);
  answer();
  mock.timers.tick(60_000);
  assert.equal(told.length, 3);
});

test("a quiet request leaves the picture unmarked, and what is stopped says nothing more", () => {
  ask("a", { quiet: true });
  mock.timers.tick(1000);
  assert.deepEqual(told, ["busy"]);
  flow.stop();
  mock.timers.tick(60_000);
  assert.deepEqual(told, ["busy"]);
});

test("what is unanswered is asked once more where nobody has heard it", () => {
  ask("a");
  ask("b", { save: true });
  flow.again();
  assert.deepEqual(posted.map(({ query, save }) => [query, save]), [["a", undefined], ["b", true]]);
  answer();
  flow.again();
  assert.equal(posted.length, 2);
});
