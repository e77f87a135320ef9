/** Creates a history in memory, in place of the browser's: the URL holds the step only, and free play is not recorded. */
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
    undo() {},
    redo() {},
    stop() {},
  };
}
