/** From one source of data to another: what a source brings, what goes along, what is found again on the way back. */

import { parseQuery } from "./query.js";
import { readNumber } from "./track.js";

/** Settings that every source brings. */
const BROUGHT = ["scaling", "kernel", "gamma"];
/** What is kept of a source beside its options. */
const KEPT = [...BROUGHT, "degree", "coef0", "seed", "edits"];

/**
 * @typedef {{key: string, options: {name: string}[], defaults: Record<string, any>, opens?: string}} Source
 * @typedef {Map<string, string>} Query
 */

/** Each source is left with its settings, and has them again when it is chosen again. */
export function createSourceMoves() {
  /** @type {Map<string, Record<string, string | null>>} */
  const left = new Map();
  /** What a source with an opening of its own has changed beside its settings, as it was before. */
  /** @type {Record<string, string | null>} */
  let lent = {};

  /** @type {(next: Source, wanted: Query) => Record<string, string | null>} */
  function opened(next, wanted) {
    const own = new Set(ownKeys(next));
    const all = parseQuery(next.opens ?? "");
    all.delete("data");
    const seed = wanted.get("seed") ?? all.get("seed");
    if (seed !== all.get("seed")) for (const key of ["seed", "edits", "view.probe"]) all.delete(key); // rows of another sample
    lent = read(wanted, [...all.keys()].filter((key) => !own.has(key)));
    return Object.fromEntries(all);
  }

  return {
    /**
     * The changes that lead to a source: its own settings as they were when it was left, else as it brings them, with
     * the choices made by hand that still mean the same.
     * @param {Source} from
     * @param {Source} next
     * @param {Query} wanted  the settings now
     * @param {Query} opening  those of the page's first picture
     * @param {Record<string, string>} first  options to arrive with
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

/** A number for γ is a length in the units of the data; unscaled features are a choice for the data they were left in. */
const goesAlong = (/** @type {string} */ key, /** @type {string} */ value) =>
  (key === "gamma" ? typeof readNumber(value) === "string" : key !== "scaling" || value !== "none");

/**
 * What a source brings on a page; null where the page's own default holds.
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
