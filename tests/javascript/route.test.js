import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { createRoute } from "../../mdcore/browser/line/route.js";
import { Unanswered } from "../../mdcore/browser/line/line.js";

const bytes = new TextEncoder();

/** Answers the next request with these pieces of a stream. @param {...string} pieces */
function answerWith(...pieces) {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(bytes.encode(piece));
      controller.close();
    },
  });
  return mock.method(globalThis, "fetch", async () => new Response(body));
}

describe("tuning, as the route to the server tells it", () => {
  const state = { page: "playground", query: "data=moons" };
  const tune = (told = []) => createRoute().tune(state, new AbortController().signal, (course) => told.push(course));

  test("the course is told line by line, wherever the pieces are cut, and the chosen settings end it", async () => {
    const sent = answerWith('{"made": 0, "total": 9, "ahead": 1}\n{"made": 3, "to', 'tal": 9, "ahead": 0}\n{"settings": {"svm.C": "1"}}', "\n");
    const told = [];
    assert.deepEqual(await tune(told), { "svm.C": "1" });
    assert.deepEqual(told, [{ made: 0, total: 9, ahead: 1 }, { made: 3, total: 9, ahead: 0 }]);
    const [path, { body }] = sent.mock.calls[0].arguments;
    assert.equal(path, "stage/tuning");
    assert.deepEqual(JSON.parse(body), state);
  });

  test("a reason for no choice is an error with these words", async () => {
    answerWith('{"error": "A class has fewer than 3 rows."}\n');
    await assert.rejects(tune(), new Unanswered(422, "A class has fewer than 3 rows."));
  });

  test("a stream that ends early is an error", async () => {
    answerWith('{"made": 1, "total": 9, "ahead": 0}\n');
    await assert.rejects(tune(), /stopped answering/);
  });

  test("a refusal is an error with the server's words", async () => {
    mock.method(globalThis, "fetch", async () => new Response('{"error": "The server is busy."}', { status: 503 }));
    await assert.rejects(tune(), new Unanswered(503, "The server is busy."));
  });
});
