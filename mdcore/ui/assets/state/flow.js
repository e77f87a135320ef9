/**
 * Requests to Python, latest wins, one in flight: of what is asked during a solve only the newest is sent.
 * What a request brings (`table`) or wants beside the picture (`save`, `file`, `fit`) goes with the next one that is sent.
 *
 * @typedef {object} Asked
 * @property {string} query
 * @property {number} version  of the state that is asked for
 * @property {boolean} [quiet]  the picture on screen stays valid
 * @property {boolean} [save]
 * @property {string} [file]  the name of one that is made of the picture
 * @property {boolean} [fit]  the axes to this picture alone
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
  let lastId = Date.now(); // beyond every number given by a stage that stood here before
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
     * Streamlit answers a step in the browser's history by a run of the whole page. A request would cut that run
     * short, and Streamlit would then take the stage off the page: requests wait for the message of that run.
     */
    hold() {
      held = true;
      listen();
    },

    /**
     * Takes from a message the number of the request it answers and the run of the page it belongs to, and gives the
     * request it answers, or null. What was waiting is sent at once, before any drawing.
     *
     * Streamlit forgets a request that had not been begun when it starts the whole page again. So what is unanswered
     * when the first message of such a run comes is asked again.
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

    /** What is unanswered is asked once more: nobody is left who has heard it. */
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
 * The newer of two requests, with what the older was to bring and to fetch.
 * @param {Asked | null} older @param {Asked | null} newer
 */
function merge(older, newer) {
  if (!older || !newer) return newer ?? older;
  const [save, file, fit] = [newer.save || older.save, newer.file || older.file, newer.fit || older.fit];
  return { ...newer, save, file, fit, table: newer.table ?? older.table };
}
