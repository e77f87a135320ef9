import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { createLostServer } from "../../mdcore/ui/assets/shell/lost_server.js";

let there;
let busy;
let told;
let server;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  there = true;
  busy = true;
  told = [];
  server = createLostServer(
    { onLost: () => told.push("lost"), onBack: () => told.push("back"), onVain: () => told.push("vain"), isBusy: () => busy },
    async () => there,
  );
});

/** @param {number} [milliseconds] */
async function wait(milliseconds = 0) {
  mock.timers.tick(milliseconds);
  await new Promise((resolve) => setImmediate(resolve));
}

test("a server that is slow is not lost", async () => {
  server.look();
  await wait();
  for (let k = 0; k < 5; k += 1) await wait(2000);
  busy = false;
  await wait(2000);
  assert.deepEqual(told, []);
});

test("a lost server is named once, and asked again when it is back", async () => {
  there = false;
  server.look();
  await wait();
  for (let k = 0; k < 3; k += 1) await wait(2000);
  assert.deepEqual(told, ["lost"]);
  there = true;
  await wait(2000);
  assert.deepEqual(told, ["lost", "back"]);
  busy = false;
  await wait(8000);
  assert.deepEqual(told, ["lost", "back"]);
});

test("where asking again is in vain, the page is loaded anew", async () => {
  there = false;
  server.look();
  await wait();
  there = true;
  await wait(2000);
  await wait(8000);
  assert.deepEqual(told, ["lost", "back", "vain"]);
});

test("nothing is said after its stage has gone", async () => {
  there = false;
  server.look();
  server.stop();
  await wait();
  await wait(4000);
  assert.deepEqual(told, []);
});
