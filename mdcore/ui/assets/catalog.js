/** Python's catalog, looked up by key. */
export function createCatalog(raw, hash) {
  const sources = new Map(raw.sources.map((source) => [source.key, source]));
  const methods = new Map(raw.methods.map((method) => [method.key, method]));
  const controlsOf = new Map();

  return {
    hash,
    sources: raw.sources,
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
