import { createFlow } from "../state/flow.js";
import { createLostServer } from "./lost_server.js";
import { watchConnection } from "../workarounds/reconnected.js";

/** @import { Sent } from "../state/flow.js" */

/**
 * Connects a stage to its server: the flow of requests, and messages about unanswered ones.
 * @param {HTMLElement} root
 * @param {(request: Sent) => void} post
 * @param {(message: string, options?: {note?: boolean, canRetry?: boolean}) => void} say
 * @param {() => void} reload  reloads the page with the wanted state
 */
export function createLink(root, post, say, reload) {
  const flow = createFlow(post, {
    onBusy: () => (root.dataset.busy = "true"),
    onStale: () => root.classList.add("ml-stale"),
    onLate: () => lostServer.look(),
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
      flow.again();
    },
    onVain: reload,
    isBusy: () => flow.busy,
  });
  const unwatch = watchConnection(() => flow.busy && flow.again());
  return {
    flow,
    stop() {
      flow.stop();
      lostServer.stop();
      unwatch();
    },
  };
}
