/** The lecture from one file, which contains all pictures and texts; it needs no server. */

import { NOBODY } from "../line/line.js";
import { createLecture } from "./lecture_view.js";
import { createLectureStage } from "./lecture_stage.js";
import { createSavedLine } from "../line/saved.js";
import { decode } from "../state/message.js";
import { h, setText } from "../shell/dom.js";

/**
 * @import { Place } from "./deck.js"
 *
 * @typedef {{symbol: string, places: {value: string, state: string}[]}} Play  the states along one parameter
 */

/**
 * @param {HTMLElement} parent
 * @param {Uint8Array} bytes  from pack_lesson in Python
 * @param {Lesson} lesson
 */
export function openOffline(parent, bytes, lesson) {
  const saved = decode(bytes);
  const stage = createLectureStage(parent, { line: createSavedLine(saved), host: NOBODY }, { exports: false });
  const path = createPath((state) => {
    stage.view?.play();
    stage.moveTo(state);
  });
  const player = {
    get scene() {
      return stage.scene;
    },
    /** @param {ShownStep} step */
    configure({ views, papers, editing }) {
      stage.configure({ views, papers, keep: [], editing });
      path.element.hidden = !editing || !path.filled;
    },
    /** @param {string} state @param {boolean} anew @param {Place} place */
    moveTo(state, anew, { step, phase }) {
      path.lay(saved.plays[step - 1], state);
      path.element.hidden = phase === "ask" || !path.filled;
      stage.moveTo(state, anew);
    },
  };

  stage.shell.begin({ page: "lecture", query: lesson.steps[0].state, token: "" });
  stage.shell.reveal();
  stage.pictures.querySelector(".ml-lecture-stage")?.append(path.element);
  stage.view = createLecture(stage.root, ofFile(lesson), { name: `${lesson.title} offline`, player, fixed: true });
}

/** Returns the lesson without links to pages and suggestions to try, as a file has neither. @param {Lesson} lesson @returns {Lesson} */
const ofFile = (lesson) =>
  ({ ...lesson, steps: lesson.steps.map((step) => ({ ...step, page: undefined, reveal: { ...step.reveal, try: [] } })) });

/** Creates a slider over the states along one parameter. @param {(state: string) => void} go */
function createPath(go) {
  const name = h("span", { class: "ml-symbol" });
  const value = h("output", { class: "ml-scrub-value" });
  const slider = h("input", { type: "range", min: 0, step: 1, class: "ml-scrub", "data-testid": "scrub", oninput: scrub });
  const element = h("div", { class: "ml-lecture-controls ml-lecture-path", hidden: true }, name, slider, value);
  /** @type {Play["places"]} */
  let places = [];
  const chosen = () => places[Number(slider.value)];

  function scrub() {
    setText(value, chosen().value);
    go(chosen().state);
  }

  return {
    element,
    get filled() {
      return places.length > 0;
    },
    /** @param {Play | undefined} play @param {string} now */
    lay(play, now) {
      places = play?.places ?? [];
      slider.max = String(Math.max(0, places.length - 1));
      slider.setAttribute("aria-label", play?.symbol ?? "");
      setText(name, play?.symbol ?? "");
      slider.value = String(Math.max(0, places.findIndex(({ state }) => state === now)));
      setText(value, chosen()?.value ?? "");
    },
  };
}
