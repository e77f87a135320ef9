import { Unanswered } from "./line.js";
import { decode } from "../state/message.js";

/**
 * @import { Line } from "./line.js"
 */

/**
 * Creates the line to the server of the page.
 * @returns {Line & {useToken: (token: string) => void}}
 */
export function createRoute() {
  let token = "";

  /** @param {string} path @param {object} body @param {AbortSignal} signal */
  async function post(path, body, signal) {
    const headers = { "content-type": "application/json", "x-margin-lab-token": token };
    const reply = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
    if (!reply.ok) throw new Unanswered(reply.status, await reasonOf(reply));
    return reply;
  }

  return {
    /** Takes the token that the page was given. @param {string} given */
    useToken(given) {
      token = given;
    },
    async draw(request, signal) {
      const room = request.room ? `?room=${encodeURIComponent(request.room.code)}` : ""; // by which a proxy finds its process
      const reply = await post(`stage/picture${room}`, request, signal);
      return decode(new Uint8Array(await reply.arrayBuffer()));
    },
    isThere: askHealth,
    async keep(table, signal) {
      const { error } = await (await post("stage/table", table, signal)).json();
      if (error) throw new Unanswered(422, error);
    },
    async tune(state, signal, tell) {
      const { body } = await post("stage/tuning", state, signal);
      for await (const { error, settings, ...course } of linesOf(/** @type {ReadableStream<BufferSource>} */ (body))) {
        if (error) throw new Unanswered(422, error);
        if (settings) return settings;
        tell(course);
      }
      throw new Error("The server has stopped answering.");
    },
  };
}

/** Yields the JSON objects of a stream, one a line. @param {ReadableStream<BufferSource>} stream */
async function* linesOf(stream) {
  const reader = stream.pipeThrough(/** @type {ReadableWritablePair<string, BufferSource>} */ (new TextDecoderStream())).getReader();
  let rest = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

/** @param {Response} reply @returns {Promise<string>} */
async function reasonOf(reply) {
  try {
    return (await reply.json()).error;
  } catch {
    return `The server refuses the request (${reply.status}).`;
  }
}

/** Returns whether the server answers. */
async function askHealth() {
  try {
    return (await fetch("healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
