import { createFlow } from "../state/flow.js";
import { createLostServer } from "./lost_server.js";
import { Unanswered } from "../line/line.js";

/**
 * @import { Around, Line } from "../line/line.js"
 * @import { Sent } from "../state/flow.js"
 *
 * @typedef {object} Ends
 * @property {() => Around} around
 * @property {(message: Message) => void} receive
 * @property {(problem: {message: string, key: string | null}) => void} refuse
 * @property {(message: string, options?: {note?: boolean, canRetry?: boolean}) => void} say
 * @property {() => void} renew  asks the page for a new token; resume() follows once it is here
 */

const BUSY_PAUSE = 100; // milliseconds until a busy server is asked again, and as much at random

/**
 * Connects a stage to its line: one request at a time, tried again while the server is busy, away or started anew.
 * @param {HTMLElement} root
 * @param {Line} line
 * @param {Ends} ends
 */
export function createLink(root, line, { around, receive, refuse, say, renew }) {
  let current = new AbortController();
  let renewed = false;
  /** @type {number | undefined} */
  let timer;
  const flow = createFlow(send, {
    onBusy: () => (root.dataset.busy = "true"),
    onStale: () => root.classList.add("ml-stale"),
    onSilent: () => say("No answer from the server for 20 s.", { canRetry: true }),
  });
  const lostServer = createLostServer({
    onLost() {
      root.dataset.lost = "true";
      say("The server does not answer. Your settings are kept; the picture comes back when the server does.");
    },
    onBack() {
      delete root.dataset.lost;
      say("The server is back.", { note: true });
    },
    again: flow.again,
  });

  /** @param {Sent} asked */
  async function send(asked) {
    current.abort();
    const { signal } = (current = new AbortController());
    let message;
    try {
      const { table, ...request } = asked;
      if (table) await line.keep(table, signal);
      message = await line.draw({ ...request, ...around() }, signal);
    } catch (error) {
      if (!signal.aborted) fail(error, asked);
      return;
    }
    if (signal.aborted) return;
    renewed = false;
    receive(message);
  }

  /** @param {unknown} error @param {Sent} asked */
  function fail(error, asked) {
    if (!(error instanceof Unanswered)) {
      lostServer.look();
    } else if (error.status === 503 || error.status === 409) {
      timer = setTimeout(flow.again, BUSY_PAUSE * (1 + Math.random()));
    } else if (error.status === 403 && !renewed) {
      renewed = true;
      renew();
    } else {
      flow.settle(asked.id);
      const lost = error.status === 403;
      refuse({ message: lost ? "This page has lost its session: load it again." : error.message, key: asked.table ? "data" : null });
    }
  }

  return {
    flow,
    /** Goes on with the new token. */
    resume: () => renewed && flow.again(),
    stop() {
      current.abort();
      clearTimeout(timer);
      flow.stop();
      lostServer.stop();
    },
  };
}
