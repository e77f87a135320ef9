import { formatQuery, isView, parseQuery } from "./query.js";
import { readNumber } from "./track.js";

/** Keys that change the sample. Edits and the probe refer to rows by number and do not apply to another sample. */
const NEW_SAMPLE = ["data", "n", "seed"];
const OF_SAMPLE = ["edits", "view.probe"];
/** The key for more solver time, which applies to one picture only. */
const OF_PICTURE = "view.finish";

/** Creates the wanted state of the page: the settings that the user has requested, whether drawn yet or not. */
export function createState() {
  /** @type {Map<string, string>} */
  let wanted = new Map();
  /** @type {Map<string, string>} */
  let drawn = new Map();
  /** @type {{[key: string]: string | number | boolean | null}} */
  let values = {};
  /** @type {Map<string, AnyControl>} */
  let defaults = new Map();
  /** @type {Set<string>} */
  let local = new Set();
  let version = 0;

  return {
    /** Increases with every change, so that an answer can be compared with the latest wanted state. */
    get version() {
      return version;
    },
    get query() {
      return formatQuery(wanted);
    },
    get map() {
      return wanted;
    },
    /** The state on screen, parsed once for each picture. */
    get drawn() {
      return drawn;
    },

    /**
     * @param {Map<string, AnyControl>} controls  of the catalog, by name
     * @param {Set<string>} localKeys  keys that only change how the picture is drawn, without a request
     */
    useKeys(controls, localKeys) {
      defaults = controls;
      local = localKeys;
    },

    /**
     * @param {Patch} changes
     * @returns {{changed: boolean, local: boolean}}  local: whether only such keys changed
     */
    patch(changes) {
      const patch = { ...changes };
      if (NEW_SAMPLE.some((key) => key in patch)) for (const key of OF_SAMPLE) patch[key] ??= null;
      if (Object.keys(patch).some((key) => !isView(key))) patch[OF_PICTURE] ??= null;
      const keys = Object.keys(patch).filter((key) => write(key, patch[key]));
      if (keys.length) version += 1;
      return { changed: keys.length > 0, local: keys.every((key) => local.has(key)) };
    },

    /** @param {string} query */
    replace(query) {
      wanted = parseQuery(query);
      version += 1;
    },

    /**
     * Stores the drawn state from Python, and makes it the wanted state if nothing newer is wanted.
     * @param {Message} scene @param {{newest: boolean, first: boolean}} place
     */
    adopt(scene, { newest, first }) {
      drawn = parseQuery(scene.query);
      values = { data: scene.source, methods: scene.methods.join(), ...scene.values };
      if (!newest) return;
      const own = first ? [] : [...wanted].filter(([key]) => local.has(key));
      const theirs = [...drawn].filter(([key]) => first || !local.has(key));
      wanted = new Map([...theirs, ...own]);
    },

    /**
     * Returns the current value of a key: a number for a numeric control, else text; null if unset.
     * @param {string} key
     */
    value(key) {
      const control = defaults.get(key);
      const resolved = drawn.has(key) ? null : values[key];
      const raw = wanted.get(key) ?? resolved ?? control?.default ?? null;
      return control?.kind === "number" && typeof raw === "string" ? readNumber(raw) : raw;
    },
  };

  /** @param {string} key @param {string | number | null} value */
  function write(key, value) {
    if (value === null) return wanted.delete(key);
    const text = value === Infinity ? "inf" : String(value);
    if (wanted.get(key) === text) return false;
    wanted.set(key, text);
    return true;
  }
}
