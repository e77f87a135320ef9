import "./workarounds/recovery.js";
import { loadSheet } from "./shell/sheet.js";
import { createHost } from "./line/host.js";
import { createMemoryHistory } from "./state/memory_history.js";
import { createLecture } from "./lecture/lecture_view.js";
import { OWN_LESSON } from "./lecture/kept.js";
import { createLessonMenu } from "./lecture/lesson_menu.js";
import { createRoom } from "./lecture/room.js";
import { createRoute } from "./line/route.js";
import { createShell } from "./shell/shell.js";
import { h } from "./shell/dom.js";
import { recall } from "./state/storage.js";
import { lectureWidgets } from "./lecture/lecture_widgets.js";

/**
 * @import { Place } from "./lecture/deck.js"
 * @import { Mounting } from "./line/host.js"
 */

const SHEETS = ["stage.css", "lecture.css"];
const LARGE = 1000; // px of width, from which on the type is large enough for a lecture hall

/**
 * The lecture as a Streamlit component: the text, beside the shell of the stage with the widgets of the lecture.
 * @param {Mounting & {parentElement: HTMLElement & {marginLab?: ReturnType<typeof mount>}}} given
 */
export default function lecture({ parentElement, data, setTriggerValue }) {
  const { shell, line, host, leave } = (parentElement.marginLab ??= mount(parentElement));
  line.useToken(data.token);
  host.use(setTriggerValue);
  shell.begin(data);
  return leave;
}

/** @param {HTMLElement} parent */
function mount(parent) {
  const given = new URLSearchParams(location.search);
  const reading = given.get("read") === "1";
  const pictures = h("div", { class: "ml-lecture-pictures" });
  const body = h("div", { class: "ml-lecture-body" }, pictures);
  const root = h("div", { class: "ml-stage ml-lecture", "data-testid": "lecture", hidden: true }, body);
  parent.append(root);
  /** @type {ReturnType<typeof createLecture> | null} */
  let view = null;
  /** @type {ReturnType<typeof createRoom> | null} */
  let room = null;
  const widgets = lectureWidgets({ play: () => view?.play(), rest: (scene) => view?.rest(scene) });
  const [line, host] = [createRoute(), createHost()];
  const shell = createShell(pictures, {
    line, host, room: () => room?.reference ?? null, widgets: widgets.create, history: createMemoryHistory,
  });
  const player = {
    get scene() {
      return shell.scene;
    },
    configure: widgets.configure,
    /** @param {string} query @param {Place} _ @param {boolean} anew */
    moveTo: (query, _, anew) => shell.present(window.innerWidth >= LARGE && !reading ? `${query}&view.projector=1` : query, anew),
  };

  async function begin() {
    const own = given.get("lesson") === "own" ? recall("sessionStorage", OWN_LESSON) : null;
    const name = given.get("lesson") ?? "margins";
    const lesson = await fetchLesson(name, own);
    if (!root.isConnected) return;
    if (lesson.error) {
      body.prepend(h("p", { class: "ml-lecture-problem", role: "alert" }, lesson.error));
      return;
    }
    const home = h("a", { class: "ml-button ml-lecture-home", href: "./", target: "_top", title: "To the playground and the other pages" }, "Margin Lab");
    room = reading || given.get("embed") === "true" ? null : createRoom(name, own, { onOpen: shell.sendAgain, onState: (state) => view?.hear(state), onGo: (where) => view?.wish(where) });
    view = createLecture(root, lesson, {
      name, player, room, reading, tools: [createLessonMenu({ name, own }), home],
      drawn: !own && !player.scene?.error && window.innerWidth < LARGE,
    });
    if (shell.scene) view.rest(shell.scene);
  }

  Promise.all(SHEETS.map(loadSheet)).then(() => {
    root.hidden = false;
    shell.reveal();
  }).then(begin);

  return {
    shell,
    line,
    host,
    leave() {
      shell.leave();
      setTimeout(() => root.isConnected || view?.destroy());
    },
  };
}

/** @param {string} name @param {string | null} own */
async function fetchLesson(name, own) {
  if (own) return (await fetch(new URL("lessons/check", location.href), { method: "POST", body: own })).json();
  return fetchJson(`lessons/${encodeURIComponent(name)}.json`);
}

/** @param {string} path */
async function fetchJson(path) {
  return (await fetch(new URL(path, location.href))).json();
}
