/**
 * Requests to Python: one in flight, and only the newest of those made meanwhile is sent next. Extras of a replaced
 * request (`table`, `save`, `file`, `fit`) are carried over to the next request sent.
 *
 * @typedef {object} Asked
 * @property {string} query
 * @property {number} version  of the requested state
 * @property {boolean} [quiet]  whether the picture on screen stays valid
 * @property {boolean} [save]
 * @property {string} [file]  the name of a file to make from the picture
 * @property {boolean} [fit]  whether to fit the axes to this picture
 * @property {object | null} [table]
 *
 * @typedef {Asked & {id: number}} Sent
 */

const STALE_AFTER = 150;
const LATE_AFTER = 3000;
const SILENT_AFTER = 20000;

/**
 * @param {(request: Sent) => void} post
 * @param {{onBusy: () => void, onStale: () => void, onLate: () => void, onSilent: () => void}} events
 */
export function createFlow(post, events) {
  /** @type {Sent | null} */
  let inFlight = null;
  /** @type {Asked | null} */
  let pending = null;
  let lastId = Date.now(); // larger than any id of an earlier stage in this session
  /** @type {string | null} */
  let pageRun = null;
  let held = false;
  /** @type {number | undefined} */
  let stale;
  /** @type {number | undefined} */
  let late;
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
    clearTimeout(late);
    clearTimeout(silent);
    if (!busy()) return;
    late = setTimeout(events.onLate, LATE_AFTER);
    silent = setTimeout(events.onSilent, SILENT_AFTER);
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
      if (inFlight || held) pending = merge(pending, request);
      else send(request);
      if (!request.quiet) growStale();
      if (first) listen();
      events.onBusy();
    },

    /**
     * Holds requests until the first message of the next page run. Streamlit answers a step in the browser's history
     * with a run of the whole page. A request would interrupt it, and Streamlit would then remove the stage.
     */
    hold() {
      held = true;
      listen();
    },

    /**
     * Takes the request id and the page run of a message, and returns the answered request or null. A waiting request
     * is sent at once, before any drawing.
     *
     * Streamlit drops a request that has not been started when it reruns the whole page. Unanswered requests are
     * therefore sent again at the first message of such a run.
     * @param {number} id @param {string} run
     */
    settle(id, run) {
      const anew = run !== pageRun;
      pageRun = run;
      if (anew) held = false;
      const answered = inFlight?.id === id ? finish() : null;
      if (!held && busy() && (anew || !inFlight)) send(/** @type {Asked} */ (merge(inFlight, pending)));
      listen();
      return answered;
    },

    /** Sends the unanswered request again, because its receiver is gone. */
    again() {
      held = false;
      if (busy()) send(/** @type {Asked} */ (merge(inFlight, pending)));
      listen();
    },

    stop() {
      clearTimeout(stale);
      clearTimeout(late);
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
