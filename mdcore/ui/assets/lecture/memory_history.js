/** In the place of the browser's history: a lecture's address holds the step, and what is tried in between is let go. */
export function createMemoryHistory() {
  let draft = false;
  let entry = 0;
  return {
    get entry() {
      return entry;
    },
    canUndo: false,
    canRedo: false,
    fits: () => true,
    /** @param {string} query */
    begin: (query) => query,
    /** @param {string} _ @param {boolean} commit */
    record(_, commit) {
      if (!draft) entry += 1;
      draft = !commit;
    },
    abandon() {
      draft = false;
    },
    get open() {
      return draft;
    },
    rewrite() {},
    repeat: () => window.dispatchEvent(new PopStateEvent("popstate", { state: history.state })),
    reload: () => location.reload(),
    undo() {},
    redo() {},
    stop() {},
  };
}
