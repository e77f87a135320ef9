/** @import { createHeadline } from "./headline.js" */

/**
 * Copies the address of what is on screen, or says why it would not lead there.
 * @param {ReturnType<typeof createHeadline>} headline
 * @param {{own: boolean, fits: boolean}} state  of a table of one's own; short enough for an address
 */
export async function shareAddress(headline, { own, fits }) {
  if (own) {
    headline.say("No address leads to a table of your own: save the project file (Export) and send that.");
    return;
  }
  if (!fits) {
    headline.say("The edits are too long for an address: save the project file (Export) and send that.");
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href);
    headline.say("The address of this state is copied.", { note: true });
  } catch {
    headline.say("Copy this address:", { address: location.href });
  }
}
