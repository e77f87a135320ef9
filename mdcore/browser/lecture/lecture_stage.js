/** A lecture's stage with the pictures and controls of its step, on the lecture's page and in a saved file. */

import { createLectureWidgets } from "./lecture_widgets.js";
import { createMemoryHistory } from "../state/memory_history.js";
import { createShell } from "../shell/shell.js";
import { h } from "../shell/dom.js";

/**
 * @import { createLecture } from "./lecture_view.js"
 * @import { Ways } from "../line/line.js"
 */

const LARGE = 1000; // px of width, from which on the type is large enough for a lecture hall

/**
 * @param {HTMLElement} parent
 * @param {Ways} ways
 * @param {{exports?: boolean, large?: boolean}} options  whether pictures can be exported, and may have large type
 */
export function createLectureStage(parent, ways, { exports = true, large = true }) {
  const pictures = h("div", { class: "ml-lecture-pictures" });
  const body = h("div", { class: "ml-lecture-body" }, pictures);
  const root = h("div", { class: "ml-stage ml-lecture", "data-testid": "lecture" }, body);
  parent.append(root);
  /** @type {ReturnType<typeof createLectureWidgets>} */
  let widgets;
  const made = {
    root, body, pictures,
    /** Set once the lesson is known. @type {ReturnType<typeof createLecture> | null} */
    view: null,
    shell: createShell(pictures, {
      ...ways,
      widgets: (...pieces) => (widgets = createLectureWidgets(pieces, exports, {
        play: () => made.view?.play(),
        rest: (scene) => made.view?.rest(scene),
      })),
      history: createMemoryHistory,
    }),
    get scene() {
      return made.shell.scene;
    },
    get large() {
      return window.innerWidth >= LARGE;
    },
    /** @param {ShownStep} step */
    configure: (step) => widgets.configure(step),
    /** @param {string} query @param {boolean} [anew]  for another step, not for its reveal */
    moveTo: (query, anew) => made.shell.present(large && made.large ? `${query}&view.projector=1` : query, anew),
  };
  return made;
}
