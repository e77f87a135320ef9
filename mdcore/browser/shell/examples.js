import { h } from "./dom.js";
import { formatQuery, parseQuery } from "../state/query.js";

/**
 * Creates the menu of examples, each a URL; a key opens the next one.
 * @param {Stage} stage @param {(query: string) => void} open
 */
export function createExamples(stage, open) {
  const list = h("ul", { class: "ml-example-list" });
  const element = h("section", { class: "ml-examples", "aria-label": "Examples", hidden: true }, h("h2", {}, "Examples"), list);
  /** @type {Example[]} */
  let examples = [];
  let at = -1;

  /** @param {number} next */
  function go(next) {
    at = next;
    const wanted = parseQuery(examples[at].query);
    if (stage.projector) wanted.set("view.projector", "1");
    open(formatQuery(wanted));
    stage.setTool(wanted.has("view.probe") ? "probe" : "point");
  }

  /** @param {Example} example @param {number} place */
  function createLink({ title, query, words }, place) {
    const link = h("a", {
      class: "ml-example", href: `?${query}`, title: words || null,
      onclick: (/** @type {MouseEvent} */ event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(place);
      },
    }, title);
    return h("li", {}, link);
  }

  return {
    element,
    /** @param {Example[]} offered */
    build(offered) {
      examples = offered;
      element.hidden = offered.length === 0;
      list.replaceChildren(...offered.map(createLink));
    },
    next: () => examples.length > 0 && go((at + 1) % examples.length),
  };
}
