/** @import { createHeadline } from "./headline.js" */

/**
 * Copies the URL of the screen, or says why no URL can lead there.
 * @param {ReturnType<typeof createHeadline>} headline
 * @param {{own: boolean, fits: boolean}} state  whether the table was uploaded; whether the state is short enough for a URL
 */
export async function shareAddress(headline, { own, fits }) {
  if (own) {
    headline.say("A URL cannot contain your own table: save the project file (Export) and send that.");
    return;
  }
  if (!fits) {
    headline.say("The edits are too long for a URL: save the project file (Export) and send that.");
    return;
  }
  try {
    await navigator.clipboard.writeText(location.href);
    headline.say("The URL of this state has been copied.", { note: true });
  } catch {
    headline.say("Copy this URL:", { address: location.href });
  }
}
