import { formatQuery, recipe } from "./query.js";
import { recall, remember } from "./storage.js";

const KEY = "margin-lab recent settings";
const MOST = 40;

/** @typedef {{query: string, before: string | null}} Entry */

/** Creates the list of settings whose pictures were shown, newest first; it survives reloads. */
export function createRecentSettings() {
  /** @type {Entry[]} */
  const entries = restore();
  let last = entries[0]?.query ?? null;

  return {
    entries,
    /** @param {Map<string, string>} drawn */
    add(drawn) {
      const own = formatQuery(recipe(drawn));
      const before = last;
      last = own;
      if (entries.some((entry) => entry.query === own)) return;
      entries.unshift({ query: own, before });
      entries.length = Math.min(entries.length, MOST);
      remember("sessionStorage", KEY, entries);
    },
  };
}

/** @returns {Entry[]} */
function restore() {
  const found = recall("sessionStorage", KEY);
  return Array.isArray(found) ? found.filter(({ query }) => typeof query === "string").slice(0, MOST) : [];
}
