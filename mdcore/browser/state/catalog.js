/**
 * @typedef {Source & {drawn: boolean}} DrawnSource  whether its rows are drawn from a seed
 * @typedef {ReturnType<typeof createCatalog>} Catalog
 */

/** Creates lookups by key in the catalog from Python. @param {RawCatalog} raw @param {string} hash */
export function createCatalog(raw, hash) {
  const all = withSeeds(raw.sources);
  const sources = new Map(all.map((source) => [source.key, source]));
  const methods = new Map(raw.methods.map((method) => [method.key, method]));
  /** @type {Map<string, Map<string, AnyControl>>} */
  const controlsOf = new Map();

  /** Returns the controls common to all sources, with the defaults of one source. @param {string} sourceKey */
  function common(sourceKey) {
    const defaults = sources.get(sourceKey)?.defaults ?? {};
    return raw.common.map((control) => (control.name in defaults ? { ...control, default: defaults[control.name] } : control));
  }

  return {
    hash,
    sources: all,
    methods: raw.methods,
    examples: raw.examples,
    local: new Set(raw.local),
    common,
    /** @param {string} key */
    source: (key) => sources.get(key),
    /** Returns a method named by Python. @param {string} key */
    method: (key) => /** @type {Method} */ (methods.get(key)),

    /**
     * Returns every control by name for one source, as sources can have different defaults for `n` or `scaling`.
     * @param {string} sourceKey
     */
    controls(sourceKey) {
      const known = controlsOf.get(sourceKey);
      if (known) return known;
      const options = sources.get(sourceKey)?.options ?? [];
      const controls = [...common(sourceKey), ...options, ...raw.methods.flatMap(({ params }) => params)];
      const byName = new Map(controls.map((control) => [control.name, control]));
      controlsOf.set(sourceKey, byName);
      return byName;
    },
  };
}

/** Adds a seed to sources without one: their rows are given, but the split is random. @param {Source[]} sources */
function withSeeds(sources) {
  const seed = sources.flatMap(({ options }) => options).find(({ name }) => name === "seed");
  const ofSplit = seed ? [{ ...seed, help: "Decides which rows are held out for testing." }] : [];
  return sources.map((source) => {
    const drawn = source.options.some(({ name }) => name === "seed");
    return { ...source, drawn, options: drawn ? source.options : [...source.options, ...ofSplit] };
  });
}
