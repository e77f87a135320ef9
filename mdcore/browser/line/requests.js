/**
 * Requests for pictures over a line: one is under way, and only the newest of those made meanwhile is sent next. It is
 * sent again while whoever answers is busy, away or started anew. Extras of a replaced request (`table`, `save`, `file`,
 * `fit`) go with the one that replaces it.
 *
 * @import { Around, Line } from "./line.js"
 *
 * @typedef {object} Asked
 * @property {string} query
 * @property {number} version  of the requested state
 * @property {boolean} [quiet]  whether the picture on screen stays valid
 * @property {boolean} [save]
 * @property {string} [file]  the name of a file to make from the picture
 * @property {boolean} [fit]  whether to fit the axes to this picture
 * @property {boolean} [opens]  whether the query is the address with which the page was opened
 * @property {object | null} [table]
 *
 * @typedef {Asked & {id: number}} Sent
 *
 * @typedef {object} Events
 * @property {() => Around} around  what the answer depends on beside the request
 * @property {(message: Message) => void} receive  which calls `settle`
 * @property {(problem: {message: string, key: string | null}) => void} refuse
 * @property {() => void} renew  asks the page for a new token; `resume` follows once it is here
 * @property {() => void} onBusy
 * @property {() => void} onStale
 * @property {(message: string, options?: {note?: boolean, canRetry?: boolean}) => void} say
 * @property {(lost: boolean) => void} onLost
 */

import { Unanswered } from "./line.js";

const STALE_AFTER = 150; // milliseconds
const SILENT_AFTER = 20_000;
const BUSY_PAUSE = 100; // until a busy server is asked again, and as much at random
const LOOK = 2000; // between two checks whether a lost server is back
const BACK_PAUSE = 300; // until a server that is there is asked again

/** @param {Line} line @param {Events} events */
export function createRequests(line, events) {
  /** @type {Sent | null} */
  let current = null;
  /** @type {Asked | null} */
  let pending = null;
  let lastId = Date.now(); // larger than any id of an earlier stage in this session
  let sending = new AbortController();
  let renewed = false;
  let lost = false;
  let stopped = false;
  /** @type {{stale?: number, silent?: number, retry?: number}} */
  const timers = {};

  const busy = () => current !== null || pending !== null;

  /** @param {Asked} asked */
  function send(asked) {
    pending = null;
    current = { ...asked, id: (lastId += 1) };
    if (!asked.quiet) growStale();
    sending.abort();
    sending = new AbortController();
    draw(current, sending.signal);
  }

  /** @param {Sent} asked @param {AbortSignal} signal */
  async function draw({ table, ...asked }, signal) {
    try {
      if (table) await line.keep(table, signal);
      const message = await line.draw({ ...asked, ...events.around() }, signal);
      if (signal.aborted) return;
      renewed = false;
      events.receive(message);
    } catch (error) {
      if (!signal.aborted) fail(error, table ? "data" : null);
    }
  }

  /** @param {unknown} error @param {string | null} key */
  function fail(error, key) {
    if (!(error instanceof Unanswered)) {
      look();
    } else if (error.status === 503 || error.status === 409) {
      timers.retry = setTimeout(again, BUSY_PAUSE * (1 + Math.random()));
    } else if (error.status === 403 && !renewed) {
      renewed = true;
      events.renew();
    } else {
      settle();
      events.refuse({ message: error.status === 403 ? "This page has lost its session: load it again." : error.message, key });
    }
  }

  /** Checks whether anybody would answer, until that is so, and then sends the request again. */
  async function look() {
    clearTimeout(timers.retry);
    const there = await line.isThere();
    if (stopped) return;
    if (there === lost) tellLost(!there);
    timers.retry = setTimeout(there ? again : look, there ? BACK_PAUSE : LOOK);
  }

  /** @param {boolean} now */
  function tellLost(now) {
    lost = now;
    events.onLost(lost);
    if (lost) events.say("The server does not answer. Your settings are kept; the picture comes back when the server does.");
    else events.say("The server is back.", { note: true });
  }

  /** Sends the unanswered request again, because nobody has heard it. */
  function again() {
    if (busy()) send(/** @type {Asked} */ (merge(current, pending)));
    listen();
  }

  function growStale() {
    timers.stale ??= setTimeout(events.onStale, STALE_AFTER);
  }

  function listen() {
    clearTimeout(timers.silent);
    if (busy()) timers.silent = setTimeout(() => events.say("No answer from the server for 20 s.", { canRetry: true }), SILENT_AFTER);
  }

  /** Ends the request under way, returns it, and sends the waiting one at once, before any drawing. */
  function settle() {
    const answered = current;
    current = null;
    clearTimeout(timers.stale);
    delete timers.stale;
    if (pending) send(pending);
    listen();
    return answered;
  }

  return {
    get busy() {
      return busy();
    },
    /** @param {Asked} asked */
    request(asked) {
      const first = !busy();
      if (current) pending = merge(pending, asked);
      else send(asked);
      if (!asked.quiet) growStale();
      if (first) listen();
      events.onBusy();
    },
    settle,
    again,
    /** Goes on with the new token. */
    resume: () => renewed && again(),
    stop() {
      stopped = true;
      sending.abort();
      for (const timer of Object.values(timers)) clearTimeout(timer);
    },
  };
}

/**
 * Returns the newer of two requests, with the extras of the older one.
 * @param {Asked | null} older @param {Asked | null} newer
 */
function merge(older, newer) {
  if (!older || !newer) return newer ?? older;
  const [save, file, fit] = [newer.save || older.save, newer.file || older.file, newer.fit || older.fit];
  return { ...newer, save, file, fit, table: newer.table ?? older.table };
}
