/**
 * Requests to Python, latest wins, one in flight: of what is asked during a solve only the newest is sent.
 * What a request brings (`table`) or wants beside the picture (`save`) goes with the next one that is sent.
 */

const STALE_AFTER = 150;
const SILENT_AFTER = 20000;
const HOLD_AT_MOST = 400;

/**
 * @param {(request: {id: number, query: string, save?: boolean, table?: object}) => void} post
 * @param {{onBusy: () => void, onStale: () => void, onSilent: () => void}} events
 */
export function createFlow(post, events) {
  let inFlight = null;
  let pending = null;
  let lastId = 0;
  let timers = [];
  let hold = null;

  function send(request) {
    inFlight = { ...request, id: (lastId += 1) };
    clearTimers();
    timers = [setTimeout(events.onSilent, SILENT_AFTER)];
    if (!request.quiet) timers.push(setTimeout(events.onStale, STALE_AFTER));
    events.onBusy();
    post(inFlight);
  }

  function clearTimers() {
    timers.forEach(clearTimeout);
  }

  return {
    get busy() {
      return inFlight !== null || pending !== null;
    },

    /** @param {{query: string, version: number, quiet?: boolean}} request  quiet: the picture on screen stays valid */
    request(request) {
      if (!inFlight && !hold) return send(request);
      if (inFlight?.quiet && !request.quiet) timers.push(setTimeout(events.onStale, STALE_AFTER));
      pending = { ...request, save: request.save || pending?.save, table: request.table ?? pending?.table };
      return events.onBusy();
    },

    /**
     * Streamlit answers a step in the browser's history by a run of the whole page. A request would cut that run
     * short, and Streamlit would then take the stage off the page: requests wait for the message of that run.
     */
    hold() {
      clearTimeout(hold);
      hold = setTimeout(this.release, HOLD_AT_MOST);
    },

    release() {
      if (!hold) return;
      clearTimeout(hold);
      hold = null;
      const next = pending;
      if (!next || inFlight) return;
      pending = null;
      send(next);
    },

    /** Takes a message's id; the request it answers, or null. What was waiting is sent at once, before any drawing. */
    settle(id) {
      lastId = Math.max(lastId, id);
      if (!inFlight || id < inFlight.id) return null;
      const answered = inFlight;
      inFlight = null;
      clearTimers();
      if (pending && !hold) {
        const next = pending;
        pending = null;
        send(next);
      }
      return answered;
    },

    /** Asks again when an answer was lost, for example because the server was restarted. */
    retry() {
      const request = pending ?? inFlight;
      if (!request) return;
      pending = null;
      send(request);
    },

    stop() {
      clearTimers();
      clearTimeout(hold);
    },
  };
}
