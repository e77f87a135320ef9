/**
 * @import { Line } from "./line.js"
 *
 * @typedef {{arrays: {[name: string]: string}, query: string}} SavedScene  whose arrays have numbers in the common store
 * @typedef {{[stored: string]: ArrayBufferView}} Store
 * @typedef {{catalog: RawCatalog, scenes: SavedScene[], states: {[query: string]: number}, arrays: Store}} Saved
 */

/** Creates the line to the pictures of a saved file, each of which has a query. @param {Saved} saved @returns {Line} */
export function createSavedLine({ catalog, scenes, states, arrays }) {
  return {
    async draw({ query, have }) {
      const { arrays: names, ...header } = scenes[states[query.replace("&view.projector=1", "")]];
      const own = Object.fromEntries(Object.entries(names).map(([name, stored]) => [name, arrays[stored]]));
      return /** @type {any} */ ({ ...header, arrays: own, ...(have ? {} : { catalog }) });
    },
    keep: async () => {},
    isThere: async () => true,
  };
}
