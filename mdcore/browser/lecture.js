import { loadSheet } from "./shell/sheet.js";
import { createHost } from "./line/host.js";
import { createLecture } from "./lecture/lecture_view.js";
import { createLectureStage } from "./lecture/lecture_stage.js";
import { OWN_LESSON } from "./lecture/kept.js";
import { createLessonMenu } from "./lecture/lesson_menu.js";
import { createRoom } from "./lecture/room.js";
import { createRoute } from "./line/route.js";
import { h } from "./shell/dom.js";
import { recall } from "./state/storage.js";

/** @import { Mounting } from "./line/host.js" */

const SHEETS = ["stage.css", "lecture.css"];

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
  const [line, host] = [createRoute(), createHost()];
  /** @type {ReturnType<typeof createRoom> | null} */
  let room = null;
  const stage = createLectureStage(parent, { line, host, room: () => room?.reference ?? null }, { large: !reading });
  const { root, shell } = stage;
  root.hidden = true;

  async function begin() {
    const own = given.get("lesson") === "own" ? recall("sessionStorage", OWN_LESSON) : null;
    const name = given.get("lesson") ?? "margins";
    const lesson = await fetchLesson(name, own);
    if (!root.isConnected) return;
    if (lesson.error) {
      stage.body.prepend(h("p", { class: "ml-lecture-problem", role: "alert" }, lesson.error));
      return;
    }
    const home = h("a", { class: "ml-button ml-lecture-home", href: "./", target: "_top", title: "To the playground and the other pages" }, "Margin Lab");
    room = reading || given.get("embed") === "true" ? null : createRoom(name, own, shell.sendAgain);
    stage.view = createLecture(root, lesson, {
      name, player: stage, room, reading, tools: [createLessonMenu({ name, own }), home],
      drawn: !own && !stage.scene?.error && !stage.large,
    });
    if (shell.scene) stage.view.rest(shell.scene);
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
      setTimeout(() => root.isConnected || stage.view?.destroy());
    },
  };
}

/** @param {string} name @param {string | null} own */
async function fetchLesson(name, own) {
  const path = own ? "lessons/check" : `lessons/${encodeURIComponent(name)}.json`;
  return (await fetch(new URL(path, location.href), own ? { method: "POST", body: own } : {})).json();
}
