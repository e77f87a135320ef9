/** The query string of the page as an ordered map of strings, and back. */

/** @type {{[code: string]: string}} */
const READABLE = { "%2C": ",", "%7E": "~", "%3A": ":", "%20": "+" };

/** Streamlit's own keys: they stay in the address and are no part of the state. */
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
 * The state without its view: what a pin or an entry of the list of recent settings stands for.
 * @param {Map<string, string>} map
 */
export function recipe(map) {
  return new Map([...map].filter(([key]) => !isView(key)));
}

/** `query` as the search part of the address, Streamlit's keys kept. @param {string} query */
export function toSearch(query) {
  const foreign = [...new URLSearchParams(location.search)].filter(([key]) => FOREIGN.has(key));
  const text = [query, formatQuery(new Map(foreign))].filter(Boolean).join("&");
  return text ? `?${text}` : location.pathname;
}

/** @param {string} text */
function encode(text) {
  return encodeURIComponent(text).replace(/%(2C|7E|3A|20)/g, (code) => READABLE[code]);
}
