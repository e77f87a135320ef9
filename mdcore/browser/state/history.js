import { parseQuery, formatQuery, toSearch } from "./query.js";

/** The longest URL to share; longer states stay in the browser's history and in the project file. */
const LONGEST = 4000;
const REWRITE_EVERY = 250;

/**
 * The URL of the page and the browser's history: undo is "back", redo is "forward".
 * A drag opens one entry and rewrites it until it is committed.
 * @param {(query: string) => void} onMove  called with the state to restore
 * @param {HTMLElement} root
 */
export function createHistory(root, onMove) {
  const path = location.pathname;
  let index = history.state?.stage?.index ?? 0;
  let top = history.state?.stage?.top ?? index;
  let draft = false;
  /** @type {number | undefined} */
  let timer;
  let latest = "";

  /** @param {"pushState" | "replaceState"} method @param {string} query */
  function write(method, query) {
    const entry = { ...history.state, stage: { index, top, query } };
    history[method](entry, "", toSearch(query.length <= LONGEST ? query : withoutEdits(query)));
  }

  function cancelRewrite() {
    clearTimeout(timer);
    timer = undefined;
  }

  /** @param {PopStateEvent} event */
  function pop(event) {
    const own = event.state?.stage;
    if (!own || !root.isConnected || location.pathname !== path) return;
    cancelRewrite();
    draft = false;
    index = own.index;
    write("replaceState", own.query);
    onMove(own.query);
  }
  window.addEventListener("popstate", pop);

  return {
    /** The number of the entry: all requests while an entry is rewritten belong to one gesture. */
    get entry() {
      return index;
    },
    get canUndo() {
      return index > 0;
    },
    get canRedo() {
      return index < top;
    },
    /** Returns whether a URL can hold this state. @param {string} query */
    fits: (query) => query.length <= LONGEST,

    /**
     * The first picture stands in the entry the page was loaded with. After a reload, or when Streamlit has mounted
     * the stage anew, that entry may know better: it holds states too long for the address, and is never behind.
     * @param {string} query
     * @returns {string} the state to be shown
     */
    begin(query) {
      const wanted = history.state?.stage?.query ?? query;
      write("replaceState", wanted);
      return wanted;
    },

    /** @param {string} query @param {boolean} commit */
    record(query, commit) {
      latest = query;
      if (!draft) {
        index += 1;
        top = index;
        draft = true;
        cancelRewrite();
        write("pushState", query);
      } else if (commit) {
        cancelRewrite();
        write("replaceState", query);
      } else {
        timer ??= setTimeout(() => {
          timer = undefined;
          write("replaceState", latest);
        }, REWRITE_EVERY);
      }
      if (commit) draft = false;
    },

    /** Discards the entry that is being rewritten. */
    abandon() {
      if (!draft) return;
      cancelRewrite();
      draft = false;
      top = index - 1;
      history.back();
    },

    get open() {
      return draft;
    },

    /** Rewrites the entry with Python's spelling of the same state. @param {string} query */
    rewrite(query) {
      if (!draft && history.state?.stage?.query !== query) write("replaceState", query);
    },

    undo: () => index > 0 && history.back(),
    redo: () => index < top && history.forward(),

    stop() {
      cancelRewrite();
      window.removeEventListener("popstate", pop);
    },
  };
}

/** @param {string} query */
function withoutEdits(query) {
  const shown = parseQuery(query);
  shown.delete("edits");
  return formatQuery(shown);
}
