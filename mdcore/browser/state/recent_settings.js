import { formatQuery, recipe } from "./query.js";

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
      save(entries);
    },
  };
}

/** @returns {Entry[]} */
function restore() {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter(({ query }) => typeof query === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** @param {Entry[]} entries */
function save(entries) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // Without storage, or with full storage, the list lasts as long as the stage.
  }
}
