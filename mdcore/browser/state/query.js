/** Conversion between the query string of the page and an ordered map of strings. */

/** @type {{[code: string]: string}} */
const READABLE = { "%2C": ",", "%7E": "~", "%3A": ":", "%20": "+" };

/** Streamlit's own keys, which stay in the URL but are not part of the state. */
const FOREIGN = new Set(["embed", "embed_options"]);

/** @param {string} key */
export const isView = (key) => key.startsWith("view.");

/** @param {string} text */
export function parseQuery(text) {
  const map = new Map(new URLSearchParams(text));
  for (const key of FOREIGN) map.delete(key);
  return map;
}

/** @param {Map<string, string>} map */
export function formatQuery(map) {
  return [...map].map(([key, value]) => `${encode(key)}=${encode(value)}`).join("&");
}

/**
 * Returns the state without its view, as pins and recent settings store it.
 * @param {Map<string, string>} map
 */
export function recipe(map) {
  return new Map([...map].filter(([key]) => !isView(key)));
}

/** Returns `query` as the search part of the URL, with Streamlit's keys. @param {string} query */
export function toSearch(query) {
  const foreign = location.search.includes("embed") ? [...new URLSearchParams(location.search)].filter(([key]) => FOREIGN.has(key)) : [];
  const text = [query, formatQuery(new Map(foreign))].filter(Boolean).join("&");
  return text ? `?${text}` : location.pathname;
}

/** @param {string} text */
function encode(text) {
  return encodeURIComponent(text).replace(/%(2C|7E|3A|20)/g, (code) => READABLE[code]);
}
