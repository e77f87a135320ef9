/** Python's catalog, looked up by key. */
export function createCatalog(raw, hash) {
  const all = withSeeds(raw.sources);
  const sources = new Map(all.map((source) => [source.key, source]));
  const methods = new Map(raw.methods.map((method) => [method.key, method]));
  const controlsOf = new Map();

  /** The controls that every source has; some sources have defaults of their own for them. */
  function common(sourceKey) {
    const defaults = sources.get(sourceKey)?.defaults ?? {};
    return raw.common.map((control) => (control.name in defaults ? { ...control, default: defaults[control.name] } : control));
  }

  return {
    hash,
    sources: all,
    methods: raw.methods,
    common,
    source: (key) => sources.get(key),
    method: (key) => methods.get(key),

    /** Every control by name, for one source: two sources may give `n`, or `scaling`, different defaults. */
    controls(sourceKey) {
      if (!controlsOf.has(sourceKey)) {
        const options = sources.get(sourceKey)?.options ?? [];
        const controls = [...common(sourceKey), ...options, ...raw.methods.flatMap(({ params }) => params)];
        controlsOf.set(sourceKey, new Map(controls.map((control) => [control.name, control])));
      }
      return controlsOf.get(sourceKey);
    },
  };
}

/** Rows that are given are drawn from no seed, but split by one: every source has that control. */
function withSeeds(sources) {
  const seed = sources.flatMap(({ options }) => options).find(({ name }) => name === "seed");
  const ofSplit = { ...seed, help: "Decides which rows are kept for testing." };
  return sources.map((source) => {
    const drawn = source.options.some(({ name }) => name === "seed");
    return drawn || !seed ? { ...source, drawn } : { ...source, drawn, options: [...source.options, ofSplit] };
  });
}
