/** The lecture from one file, which contains all pictures and texts; it needs no server. */

import { createCatalog } from "../state/catalog.js";
import { createLecture } from "./lecture_view.js";
import { createStillStage } from "../shell/still_stage.js";
import { decode } from "../state/message.js";
import { h, setText } from "../shell/dom.js";
import { lectureWidgets } from "./lecture_widgets.js";

/**
 * @import { Place } from "./deck.js"
 */

/**
 * @param {HTMLElement} parent
 * @param {Uint8Array} bytes  from pack_lesson in Python
 * @param {Lesson} lesson
 */
export function openOffline(parent, bytes, lesson) {
  const { catalog: raw, scenes, steps, arrays } = decode(bytes);
  const catalog = createCatalog(raw, "");
  const root = h("div", { class: "ml-stage ml-lecture", "data-testid": "lecture" });
  const stageRoot = h("div", { class: "ml-stage", "data-testid": "stage", "data-busy": "true" });
  root.append(h("div", { class: "ml-lecture-body" }, h("div", { class: "ml-lecture-pictures" }, stageRoot)));
  parent.append(root);

  /** @type {ReturnType<typeof createLecture> | null} */
  let view = null;
  let fresh = true;
  const { stage: still, painter, check } = createStillStage(stageRoot, raw.classMarks, paint);
  /** @type {Stage} */
  const stage = Object.assign(still, {
    scene: /** @type {any} */ (null), projector: window.innerWidth >= 1000, query: "", map: new Map(),
    setTool() {}, complain() {}, remark() {}, fit() {},
  });
  const events = { play: () => view?.play(), rest: (/** @type {Scene} */ shown) => view?.rest(shown) };
  const made = lectureWidgets(events);
  const widgets = made.create(stageRoot, stage, { painter }, { retry() {} });
  const path = createPath((at) => {
    view?.play();
    show(path.scenes[at]);
  });
  stageRoot.querySelector(".ml-lecture-stage")?.append(path.element);

  /** @param {number} number */
  function show(number) {
    const { arrays: names, ...rest } = scenes[number];
    stage.scene = Object.freeze({ ...rest, arrays: Object.fromEntries(Object.entries(names).map(([name, at]) => [name, arrays[at]])) });
    widgets.arrange(stage.scene.methods);
    fresh = true;
    painter.askResize();
  }

  /** @param {boolean} resized */
  function paint(resized) {
    const { scene } = stage;
    if (!scene) return;
    if (resized) widgets.resize();
    widgets.sync();
    widgets.draw(scene);
    if (!fresh) return;
    fresh = false;
    widgets.report(scene);
    stageRoot.dataset.drawn = JSON.stringify(scene.drawn);
    stageRoot.dataset.busy = "false";
    widgets.rest(scene);
  }

  widgets.build(catalog);
  const player = {
    get scene() {
      return stage.scene;
    },
    /** @param {ShownStep} step */
    configure({ views, papers, editing }) {
      made.configure({ views, papers, keep: [], editing });
      path.element.hidden = !editing || !path.scenes.length;
    },
    /** @param {string} _ @param {Place} place */
    moveTo(_, { step, phase }) {
      const told = steps[step - 1];
      path.lay(told.play, phase === "ask" ? -1 : told.reveal);
      path.element.hidden = phase === "ask" || !path.scenes.length;
      show(phase === "ask" ? told.ask : told.reveal);
    },
  };
  check();
  view = createLecture(root, ofFile(lesson), { name: `${lesson.title} offline`, player, fixed: true });
}

/** Returns the lesson without links to pages and suggestions to try, as a file has neither. @param {Lesson} lesson @returns {Lesson} */
const ofFile = (lesson) =>
  ({ ...lesson, steps: lesson.steps.map((step) => ({ ...step, page: undefined, reveal: { ...step.reveal, try: [] } })) });

/** Creates a slider over the states along one parameter. @param {(at: number) => void} go */
function createPath(go) {
  const name = h("span", { class: "ml-symbol" });
  const value = h("output", { class: "ml-scrub-value" });
  const slider = h("input", { type: "range", min: 0, step: 1, class: "ml-scrub", "data-testid": "scrub", oninput: scrub });
  const element = h("div", { class: "ml-lecture-controls ml-lecture-path", hidden: true }, name, slider, value);
  /** @type {{value: string, scene: number}[]} */
  let places = [];

  function scrub() {
    tell();
    go(Number(slider.value));
  }

  function tell() {
    setText(value, places[Number(slider.value)]?.value ?? "");
  }

  return {
    element,
    get scenes() {
      return places.map(({ scene }) => scene);
    },
    /** @param {{symbol: string, places: {value: string, scene: number}[]} | undefined} play @param {number} now */
    lay(play, now) {
      places = play?.places ?? [];
      slider.max = String(Math.max(0, places.length - 1));
      slider.setAttribute("aria-label", play?.symbol ?? "");
      setText(name, play?.symbol ?? "");
      slider.value = String(Math.max(0, places.findIndex(({ scene }) => scene === now)));
      tell();
    },
  };
}
