import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { createLostServer } from "../../mdcore/browser/shell/lost_server.js";

let there;
let told;
let server;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  there = true;
  told = [];
  server = createLostServer(
    { onLost: () => told.push("lost"), onBack: () => told.push("back"), again: () => told.push("again") },
    async () => there,
  );
});

/** @param {number} [milliseconds] */
async function wait(milliseconds = 0) {
  mock.timers.tick(milliseconds);
  await new Promise((resolve) => setImmediate(resolve));
}

test("a server that is there is asked again without a word", async () => {
  server.look();
  await wait();
  assert.deepEqual(told, []);
  await wait(300);
  assert.deepEqual(told, ["again"]);
});

test("a lost server is named once, and asked again once it is back", async () => {
  there = false;
  server.look();
  await wait();
  for (let k = 0; k < 3; k += 1) await wait(2000);
  assert.deepEqual(told, ["lost"]);
  there = true;
  await wait(2000);
  await wait(300);
  assert.deepEqual(told, ["lost", "back", "again"]);
  await wait(8000);
  assert.equal(told.length, 3);
});

test("nothing is said after its stage has gone", async () => {
  there = false;
  server.look();
  server.stop();
  await wait();
  await wait(4000);
  assert.deepEqual(told, []);
});
