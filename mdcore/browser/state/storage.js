/** What the browser keeps for the app, as JSON; one without storage keeps nothing. */

/** @param {"localStorage" | "sessionStorage"} where @param {string} key @returns {any} null if there is nothing */
export function recall(where, key) {
  try {
    return JSON.parse(window[where].getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {"localStorage" | "sessionStorage"} where @param {string} key @param {unknown} value */
export function remember(where, key, value) {
  try {
    window[where].setItem(key, JSON.stringify(value));
  } catch {
    // The value lasts as long as the page.
  }
}
