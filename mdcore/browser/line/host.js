import { watchConnection } from "../workarounds/reconnected.js";

/**
 * The Streamlit page around a stage.
 *
 * @import { Host } from "./line.js"
 *
 * @typedef {{page: string, token: string, query: string}} HandOver  what the page gives to the stage
 * @typedef {{data: HandOver, setTriggerValue: Setters["setTriggerValue"]}} Mounting
 */

/** @returns {Host & {use: (setter: Setters["setTriggerValue"]) => void}} */
export function createHost() {
  /** @type {Setters["setTriggerValue"]} */
  let set;
  /** What the page has not heard yet. @type {string | null} */
  let told = null;
  const unwatch = watchConnection(() => told !== null && set("tell", told)); // dropped while the socket was cut

  return {
    /** Takes the setter of the component's latest call, before which the page has run. @param {Setters["setTriggerValue"]} setter */
    use(setter) {
      set = setter;
      told = null;
    },
    tell(query) {
      told = query;
      set("tell", query);
    },
    compare: (query) => set("compare", query),
    leave: unwatch,
  };
}
