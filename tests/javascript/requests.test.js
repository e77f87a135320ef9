import assert from "node:assert/strict";
import { beforeEach, describe, mock, test } from "node:test";
import { Unanswered } from "../../mdcore/browser/line/line.js";
import { createRequests } from "../../mdcore/browser/line/requests.js";

describe("the requests of a stage over any line", () => {
  let asked;
  let told;
  let there;
  let requests;

  /** Answers when the test says so. */
  const line = {
    draw: (request, signal) => new Promise((resolve, reject) => asked.push({ request, signal, resolve, reject })),
    keep: async (table) => told.push(`keep ${table.key}`),
    isThere: async () => there,
  };

  beforeEach(() => {
    mock.timers.reset();
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1000 });
    asked = [];
    told = [];
    there = true;
    requests = createRequests(line, {
      around: () => ({ page: "playground", last: null, have: "", gesture: 0, held: false, room: null }),
      receive(message) {
        requests.settle();
        told.push(`received ${message.query}`);
      },
      refuse: ({ message, key }) => told.push(`refused ${key}: ${message}`),
      renew: () => told.push("renew"),
      onBusy() {},
      onStale: () => told.push("stale"),
      onLost: (lost) => told.push(lost ? "lost" : "back"),
      say: (message, { canRetry = false } = {}) => canRetry && told.push("silent"),
    });
  });

  const ask = (query, more = {}) => requests.request({ query, version: 1, ...more });
  const queries = () => asked.map(({ request }) => request.query);

  /** @param {number} [milliseconds] */
  async function pass(milliseconds = 0) {
    for (let k = 0; k < 8; k += 1) await Promise.resolve();
    mock.timers.tick(milliseconds);
    for (let k = 0; k < 8; k += 1) await Promise.resolve();
  }

  /** Answers the latest request. */
  async function answer() {
    const { request, resolve } = asked.at(-1);
    resolve({ id: request.id, query: request.query });
    await pass();
  }

  /** @param {Error} error */
  async function fail(error) {
    asked.at(-1).reject(error);
    await pass();
  }

  const refuse = (/** @type {number} */ status) => fail(new Unanswered(status, "why"));
  const cut = () => fail(new TypeError("network"));

  test("one request is under way, and of those that wait the newest alone is sent", async () => {
    for (const query of ["a", "b", "c", "d"]) ask(query);
    assert.deepEqual(queries(), ["a"]);
    await answer();
    assert.deepEqual(queries(), ["a", "d"]);
    assert.equal(requests.busy, true);
    await answer();
    assert.equal(requests.busy, false);
    assert.deepEqual(told, ["received a", "received d"]);
  });

  test("a request says all that its answer depends on, and numbers grow beyond those of an earlier stage", async () => {
    ask("a", { fit: true });
    const names = ["fit", "gesture", "have", "held", "id", "last", "page", "query", "room", "version"];
    assert.deepEqual(Object.keys(asked[0].request).sort(), names);
    await answer();
    ask("b");
    assert.ok(asked[0].request.id > 1000 && asked[1].request.id > asked[0].request.id);
  });

  test("what a request brings or fetches goes with the one that overtakes it", async () => {
    ask("a");
    ask("b", { table: { key: "own" } });
    ask("c", { save: true });
    ask("d");
    await answer();
    assert.deepEqual(told, ["keep own", "received a"]);
    assert.deepEqual([asked[1].request.query, asked[1].request.save], ["d", true]);
  });

  test("the picture is marked as old only when it is, and silence is told", async () => {
    ask("a");
    await pass(149);
    assert.deepEqual(told, []);
    await pass(1);
    assert.deepEqual(told, ["stale"]);
    await pass(20_000);
    assert.deepEqual(told, ["stale", "silent"]);
    await answer();
    await pass(60_000);
    assert.deepEqual(told, ["stale", "silent", "received a"]);
  });

  test("a quiet request leaves the picture unmarked, and what is stopped says nothing more", async () => {
    ask("a", { quiet: true });
    await pass(1000);
    requests.stop();
    await pass(60_000);
    await answer();
    assert.deepEqual(told, []);
  });

  test("a busy line is asked again for the newest", async () => {
    ask("a");
    ask("b");
    await refuse(503);
    assert.equal(asked.length, 1);
    await pass(200);
    assert.equal(asked[1].request.query, "b");
    await answer();
    assert.deepEqual(told, ["stale", "received b"]);
  });

  test("after a refused token the page is asked for another, once", async () => {
    ask("a");
    await refuse(403);
    assert.deepEqual(told, ["renew"]);
    requests.resume();
    await refuse(403);
    assert.deepEqual(told, ["renew", "refused null: This page has lost its session: load it again."]);
    assert.equal(requests.busy, false);
  });

  test("a token that was renewed can be renewed again after an answer", async () => {
    for (let k = 0; k < 2; k += 1) {
      ask(`${k}`);
      await refuse(403);
      requests.resume();
      await answer();
    }
    assert.deepEqual(told, ["renew", "received 0", "renew", "received 1"]);
  });

  test("a table goes first, and its refusal names the data", async () => {
    ask("a", { table: { key: "own" } });
    await pass();
    assert.deepEqual(told, ["keep own"]);
    assert.ok(!("table" in asked[0].request));
    await refuse(422);
    assert.deepEqual(told, ["keep own", "refused data: why"]);
  });

  test("a server that is there is asked again without a word", async () => {
    ask("a");
    await cut();
    await pass(299);
    assert.equal(asked.length, 1);
    await pass(1);
    assert.equal(asked.length, 2);
    assert.ok(asked[0].signal.aborted);
    await answer();
    assert.deepEqual(told, ["stale", "received a"]);
  });

  test("a lost server is named once, and asked again once it is back", async () => {
    there = false;
    ask("a", { quiet: true });
    await cut();
    for (let k = 0; k < 3; k += 1) await pass(2000);
    assert.deepEqual(told, ["lost"]);
    there = true;
    await pass(2000);
    await pass(300);
    assert.deepEqual(told, ["lost", "back"]);
    assert.deepEqual(queries(), ["a", "a"]);
    await pass(8000);
    assert.equal(asked.length, 2);
  });

  test("nothing is said of a lost server after the stage has gone", async () => {
    there = false;
    ask("a", { quiet: true });
    asked[0].reject(new TypeError("network"));
    requests.stop();
    await pass(4000);
    assert.deepEqual(told, []);
  });

  test("an answer that comes after its request was repeated is not drawn", async () => {
    ask("a");
    requests.again();
    asked[0].resolve({ id: asked[0].request.id, query: "late" });
    await pass();
    assert.deepEqual(told, []);
    assert.deepEqual(queries(), ["a", "a"]);
  });
});
