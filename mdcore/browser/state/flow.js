/**
 * Requests for pictures: one in flight, and only the newest of those made meanwhile is sent next. Extras of a replaced
 * request (`table`, `save`, `file`, `fit`) are carried over to the next request sent.
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
 */

const STALE_AFTER = 150;
const SILENT_AFTER = 20000;

/**
 * @param {(request: Sent) => void} post
 * @param {{onBusy: () => void, onStale: () => void, onSilent: () => void}} events
 */
export function createFlow(post, events) {
  /** @type {Sent | null} */
  let inFlight = null;
  /** @type {Asked | null} */
  let pending = null;
  let lastId = Date.now(); // larger than any id of an earlier stage in this session
  /** @type {string | undefined} */
  let pageRun;
  /** @type {number | undefined} */
  let stale;
  /** @type {number | undefined} */
  let silent;

  const busy = () => inFlight !== null || pending !== null;

  /** @param {Asked} request */
  function send(request) {
    inFlight = { ...request, id: (lastId += 1) };
    pending = null;
    if (!request.quiet) growStale();
    post(inFlight);
  }

  function growStale() {
    stale ??= setTimeout(events.onStale, STALE_AFTER);
  }

  function listen() {
    clearTimeout(silent);
    if (busy()) silent = setTimeout(events.onSilent, SILENT_AFTER);
  }

  function finish() {
    const answered = inFlight;
    inFlight = null;
    clearTimeout(stale);
    stale = undefined;
    return answered;
  }

  return {
    get busy() {
      return busy();
    },

    /** @param {Asked} request */
    request(request) {
      const first = !busy();
      if (inFlight) pending = merge(pending, request);
      else send(request);
      if (!request.quiet) growStale();
      if (first) listen();
      events.onBusy();
    },

    /**
     * Takes the request id of a message, and returns the answered request or null. A waiting request is sent at once,
     * before any drawing.
     *
     * Streamlit drops a request that has not been started when it reruns the whole page: requests that travel with it
     * name the `run`, and unanswered ones are sent again at the first message of another.
     * @param {number} id @param {string} [run]
     */
    settle(id, run) {
      const anew = run !== pageRun;
      pageRun = run;
      const answered = inFlight?.id === id ? finish() : null;
      if (busy() && (anew || !inFlight)) send(/** @type {Asked} */ (merge(inFlight, pending)));
      listen();
      return answered;
    },

    /** Sends the unanswered request again, because nobody has heard it. */
    again() {
      if (busy()) send(/** @type {Asked} */ (merge(inFlight, pending)));
      listen();
    },

    stop() {
      clearTimeout(stale);
      clearTimeout(silent);
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
