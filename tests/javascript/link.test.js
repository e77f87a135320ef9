import assert from "node:assert/strict";
import { beforeEach, describe, mock, test } from "node:test";
import { Unanswered } from "../../mdcore/browser/line/line.js";
import { createLink } from "../../mdcore/browser/shell/link.js";

describe("the link of a stage to a line without a page of Streamlit, as a notebook's", () => {
  let asked;
  let told;
  let link;

  /** Answers when the test says so. */
  const line = {
    draw: (request, signal) => new Promise((resolve, reject) => asked.push({ request, signal, resolve, reject })),
    keep: async (table) => told.push(`keep ${table.key}`),
  };

  beforeEach(() => {
    mock.timers.reset();
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1000 });
    mock.method(globalThis, "fetch", async () => ({ ok: true }));
    asked = [];
    told = [];
    link = createLink({ dataset: {}, classList: { add() {} } }, line, {
      around: () => ({ page: "playground", last: null, have: "", gesture: 0, held: false, room: null }),
      receive(message) {
        link.flow.settle(message.id);
        told.push(`received ${message.query}`);
      },
      refuse: ({ message, key }) => told.push(`refused ${key}: ${message}`),
      say: (message) => told.push(message),
      renew: () => told.push("renew"),
    });
  });

  const ask = (query, more = {}) => link.flow.request({ query, version: 1, ...more });

  /** @param {number} [milliseconds] */
  async function pass(milliseconds = 0) {
    for (let k = 0; k < 5; k += 1) await Promise.resolve();
    mock.timers.tick(milliseconds);
    for (let k = 0; k < 5; k += 1) await Promise.resolve();
  }

  /** Answers the latest request. */
  async function answer() {
    const { request, resolve } = asked.at(-1);
    resolve({ id: request.id, query: request.query });
    await pass();
  }

  /** Refuses the latest request. @param {number} status */
  async function refuse(status) {
    asked.at(-1).reject(new Unanswered(status, "why"));
    await pass();
  }

  test("a request says all that its answer depends on", async () => {
    ask("a", { fit: true });
    await pass();
    assert.deepEqual(
      Object.keys(asked[0].request).sort(),
      ["fit", "gesture", "have", "held", "id", "last", "page", "query", "room", "version"],
    );
    await answer();
    assert.deepEqual(told, ["received a"]);
  });

  test("a busy line is asked again for the newest", async () => {
    ask("a");
    await pass();
    ask("b");
    await refuse(503);
    assert.equal(asked.length, 1);
    await pass(200);
    assert.equal(asked[1].request.query, "b");
    await answer();
    assert.deepEqual(told, ["received b"]);
  });

  test("after a refused token the page is asked for another, once", async () => {
    ask("a");
    await pass();
    await refuse(403);
    assert.deepEqual(told, ["renew"]);
    link.resume();
    await pass();
    await refuse(403);
    assert.deepEqual(told, ["renew", "refused null: This page has lost its session: load it again."]);
    assert.equal(link.flow.busy, false);
  });

  test("a token that was renewed can be renewed again after an answer", async () => {
    for (let k = 0; k < 2; k += 1) {
      ask(`${k}`);
      await pass();
      await refuse(403);
      link.resume();
      await pass();
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

  test("whom nobody answers asks again", async () => {
    ask("a");
    await pass();
    asked[0].reject(new TypeError("network"));
    await pass();
    await pass(300);
    assert.equal(asked.length, 2);
    assert.ok(asked[0].signal.aborted);
    await answer();
    assert.deepEqual(told, ["received a"]);
  });

  test("an answer that comes after its request was repeated is not drawn, nor one after the end", async () => {
    ask("a");
    await pass();
    link.flow.again();
    await pass();
    asked[0].resolve({ id: asked[0].request.id, query: "late" });
    await pass();
    assert.deepEqual(told, []);
    link.stop();
    await answer();
    assert.deepEqual(told, []);
  });
});
