/** Changes of the data source: the settings a source brings, those that are kept, and those restored on return. */

import { parseQuery } from "./query.js";
import { readNumber } from "./track.js";

/** Settings that every source brings. */
const BROUGHT = ["scaling", "kernel", "gamma"];
/** Settings that are remembered for each source, in addition to its options. */
const KEPT = [...BROUGHT, "degree", "coef0", "seed", "edits"];

/**
 * @typedef {{key: string, options: {name: string}[], defaults: Record<string, any>, opens?: string}} Source
 * @typedef {Map<string, string>} Query
 */

/** Creates the memory of sources: each keeps its settings until it is chosen again. */
export function createSourceMoves() {
  /** @type {Map<string, Record<string, string | null>>} */
  const left = new Map();
  /** Previous values of other settings that a source with its own opening state has changed. */
  /** @type {Record<string, string | null>} */
  let lent = {};

  /** @type {(next: Source, wanted: Query) => Record<string, string | null>} */
  function opened(next, wanted) {
    const own = new Set(ownKeys(next));
    const all = parseQuery(next.opens ?? "");
    all.delete("data");
    const seed = wanted.get("seed") ?? all.get("seed");
    if (seed !== all.get("seed")) for (const key of ["seed", "edits", "view.probe"]) all.delete(key); // they refer to rows of another sample
    lent = read(wanted, [...all.keys()].filter((key) => !own.has(key)));
    return Object.fromEntries(all);
  }

  return {
    /**
     * Returns the changes that lead to a source: its remembered settings, else those it brings, with the user's choices
     * that still apply.
     * @param {Source} from
     * @param {Source} next
     * @param {Query} wanted  the current settings
     * @param {Query} opening  the settings of the page's first picture
     * @param {Record<string, string>} first  options to start with
     * @returns {Record<string, string | null>}
     */
    to(from, next, wanted, opening, first = {}) {
      left.set(from.key, read(wanted, ownKeys(from)));
      const cleared = { ...Object.fromEntries(optionsOf(from).map((key) => [key, null])), ...lent };
      lent = {};
      const arrived = () => ({ ...first, ...arrival(from, next, wanted, opening), ...opened(next, wanted) });
      return { ...cleared, ...(left.get(next.key) ?? arrived()), data: next.key };
    },
  };
}

/** @type {(from: Source, next: Source, wanted: Query, opening: Query) => Record<string, string | null>} */
function arrival(from, next, wanted, opening) {
  const here = broughtBy(from, opening);
  const byHand = BROUGHT.filter((key) => {
    const value = wanted.get(key);
    return value !== undefined && value !== String(here[key]) && goesAlong(key, value);
  });
  const options = opening.get("data") === next.key ? read(opening, optionsOf(next)) : {};
  return { ...options, ...broughtBy(next, opening), ...read(wanted, byHand) };
}

/** Returns whether a choice is kept. A numeric γ depends on the units of the data, and "no scaling" on the data. */
const goesAlong = (/** @type {string} */ key, /** @type {string} */ value) =>
  (key === "gamma" ? typeof readNumber(value) === "string" : key !== "scaling" || value !== "none");

/**
 * Returns the settings that a source brings on a page; null stands for the default of the page.
 * @type {(source: Source, opening: Query) => Record<string, any>}
 */
function broughtBy(source, opening) {
  const kernel = opening.get("kernel") ?? null;
  const first = opening.get("data") === source.key ? read(opening, BROUGHT.filter((key) => opening.has(key))) : {};
  return { kernel, ...source.defaults, ...first };
}

const optionsOf = (/** @type {Source} */ { options }) => options.map(({ name }) => name).filter((name) => name !== "seed");
const ownKeys = (/** @type {Source} */ source) => [...optionsOf(source), ...KEPT];

/** @type {(query: Query, keys: string[]) => Record<string, string | null>} */
const read = (query, keys) => Object.fromEntries(keys.map((key) => [key, query.get(key) ?? null]));
