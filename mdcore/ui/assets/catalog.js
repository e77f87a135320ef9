/** Python's catalog, looked up by key. */
export function createCatalog(raw, hash) {
  const all = withSeeds(raw.sources);
  const sources = new Map(all.map((source) => [source.key, source]));
  const methods = new Map(raw.methods.map((method) => [method.key, method]));
  const controlsOf = new Map();

  return {
    hash,
    sources: all,
    methods: raw.methods,
    common: raw.common,
    source: (key) => sources.get(key),
    method: (key) => methods.get(key),

    /** Every control by name, for one source: two sources may give `n` different defaults. */
    controls(sourceKey) {
      if (!controlsOf.has(sourceKey)) {
        const all = [...raw.common, ...(sources.get(sourceKey)?.options ?? []), ...raw.methods.flatMap(({ params }) => params)];
        controlsOf.set(sourceKey, new Map(all.map((control) => [control.name, control])));
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
