/** The lecture: text on one side, pictures on the other; asks, reveals, offers free play. The player draws the pictures. */

import { backward, onward, placeOf, searchOf } from "./deck.js";
import { bindKeys } from "./keys.js";
import { createKept } from "./kept.js";
import { createGlossary, createWords } from "./words.js";
import { KINDS } from "../questions/kinds.js";
import { minutesSince } from "../shell/format.js";
import { TERMS } from "../shell/glossary.js";
import { h, setText } from "../shell/dom.js";

/**
 * @import { createRoom } from "./room.js"
 * @import { Place } from "./deck.js"
 */

/**
 * @typedef {object} Player
 * @property {(query: string, anew: boolean, place: Place) => void} moveTo  anew: for another step, not for its reveal
 * @property {(step: ShownStep) => void} configure
 * @property {Scene | null} scene
 *
 * @param {HTMLElement} root
 * @param {Lesson} lesson
 * @param {{name: string, player: Player, room?: ReturnType<typeof createRoom> | null,
 *   tools?: HTMLElement[], reading?: boolean, drawn?: boolean, fixed?: boolean}} parts  drawn: the first picture is that of the
 *   address already; fixed: its pictures are all there are
 */
export function createLecture(root, lesson, parts) {
  const { name, player, room = null, tools = [], reading = false, drawn = false, fixed = false } = parts;
  const { steps } = lesson;
  const kept = createKept(name);
  const explain = createGlossary(TERMS);
  let place = placeOf(location.search, steps.length);
  let opened = false;
  let round = 1;
  /** @type {Asked | null} */
  let asked = null;
  /** What the reveal shows as right, once its picture is final. */
  let closed = false;
  /** @type {any} */
  let truth = null;
  /** @type {RoomState | null} */
  let told = null;
  let begun = Date.now();

  /** @type {{[way: string]: () => void}} */
  const wishes = { next: () => go(onward(place, steps.length)), back: () => go(backward(place)), open, again };
  const where = h("p", { class: "ml-lecture-where", "aria-live": "polite" });
  const clock = h("button", { type: "button", class: "ml-button ml-lecture-clock", title: "Time since the start; press to start again", onclick: () => (begun = Date.now()) });
  const back = h("button", { type: "button", class: "ml-button", title: "Back (←)", onclick: wishes.back }, "Back");
  const next = h("button", { type: "button", class: "ml-button ml-lecture-next", title: "Continue (→)", onclick: wishes.next });
  const progress = h("progress", { class: "ml-lecture-progress", max: steps.length, "aria-label": "Steps seen" });
  const title = h("h2", { class: "ml-lecture-title" });
  const said = h("p", { class: "ml-verdict", role: "status" });
  const words = h("div", { class: "ml-lecture-words", tabindex: "0", role: "region", "aria-label": "The step in words" });
  const black = h("div", { class: "ml-lecture-black", hidden: true });
  root.prepend(
    h("header", { class: "ml-lecture-bar" }, h("strong", {}, lesson.title), where, progress, room?.element ?? null, clock, ...tools,
      h("span", { class: "ml-group" }, back, next)),
    black);
  root.querySelector(".ml-lecture-body")?.prepend(words);
  root.classList.toggle("ml-reading", reading);
  root.dataset.steps = String(steps.length);

  const unbind = bindKeys(root, (way) => wishes[way](), {
    o: open, a: again, b: () => (black.hidden = !black.hidden), ".": () => (black.hidden = !black.hidden),
    q: () => room?.toggle(), n: () => room?.notes(), f: () => fullScreen(root),
  });
  const timer = setInterval(tick, 1000);
  tick();

  function tick() {
    setText(clock, minutesSince(begun));
  }

  const step = () => steps[place.step - 1];

  /** @param {Place} to @param {{first?: boolean}} options */
  function go(to, { first = false } = {}) {
    const anew = first || to.step !== place.step;
    const moved = first || anew || to.phase !== place.phase;
    place = to;
    if (anew) {
      opened = false;
      round = 1;
      told = null;
      build();
    }
    if (moved) show(first && drawn, anew);
  }

  /** Builds the text of a step, once. */
  function build() {
    asked?.destroy?.();
    closed = false;
    truth = null;
    const { first, then } = createWords(step(), explain);
    const { question } = step();
    asked = question ? KINDS[question.kind].ask(question, { where: fixed ? "file" : "page", give }) : null;
    setText(title, step().title);
    words.replaceChildren(title, first,
      question && asked ? h("div", { class: "ml-question" }, h("p", { class: "ml-asked" }, question.text), asked.element, said) : "", then);
    words.scrollTop = 0;
    mark();
  }

  /** @param {any} answer  of the reader */
  function give(answer) {
    kept.keep(place.step, answer);
    mark();
  }

  /** Draws what is known about the question. A verdict on no answer is for screen readers only. */
  function mark() {
    const answer = kept.answer(place.step);
    const { results: rounds = [], runs = [] } = told ?? {};
    setText(said, asked?.show({ answer, closed, truth, rounds, runs, methods: player.scene?.panels ?? [] }) ?? "");
    said.classList.toggle("ml-hidden", answer === undefined);
  }

  /** @param {boolean} there  whether the picture is already drawn @param {boolean} anew  whether the step is another */
  function show(there, anew) {
    const { phase } = place;
    Object.assign(root.dataset, { step: String(place.step), phase });
    setText(where, `${place.step} of ${steps.length}`);
    setText(next, phase === "ask" ? "Reveal" : place.step < steps.length ? "Next" : "The end");
    const then = /** @type {HTMLElement} */ (words.querySelector(".ml-lecture-reveal"));
    then.hidden = phase === "ask";
    if (phase !== "ask") then.scrollIntoView({ block: "nearest" });
    if (phase !== "ask") kept.pass(place.step);
    progress.value = Math.max(kept.seen, place.step - 1);
    player.configure({ views: step().views, keep: step().keep, papers: step().papers, editing: phase !== "ask" });
    if (phase !== "play" && !there) player.moveTo(stateOf(), anew, place);
    history.replaceState(history.state, "", searchOf(location.search, place) + location.hash);
    tell();
  }

  /** Returns the state of the step, which may depend on the answers of the room. */
  function stateOf() {
    const { question, state, reveal } = step();
    if (place.phase === "ask") return state;
    return (question && KINDS[question.kind].revealed?.(question, reveal.state, told?.results ?? [])) ?? reveal.state;
  }

  const tell = () => room?.tell({ step: place.step, phase: place.phase, opened, round });

  /** Shows the answers of the room so far; on the projector only when the presenter asks for them. */
  function open() {
    opened = !opened;
    tell();
  }

  /** Starts another round: vote, discuss, vote again. */
  function again() {
    if (place.phase !== "ask") return;
    round = 2;
    opened = false;
    tell();
  }

  go(place, { first: true });
  const view = {
    /** Called when the user has changed the picture. */
    play() {
      if (place.phase !== "reveal") return;
      place = { step: place.step, phase: "play" };
      root.dataset.phase = "play";
    },
    /** Called when the picture is final and no request is pending. @param {Scene} scene */
    rest(scene) {
      const { question } = step();
      if (place.phase !== "reveal" || !question) return;
      closed = true;
      truth = KINDS[question.kind].truth?.(question, scene) ?? null;
      mark();
    },
    /** @param {RoomState} state  of the room */
    hear(state) {
      if (state.step !== place.step) return;
      const before = stateOf();
      told = state;
      mark();
      if (state.results && place.phase === "ask") asked?.element.scrollIntoView({ block: "nearest" });
      if (place.phase === "reveal" && stateOf() !== before) player.moveTo(stateOf(), false, place);
    },
    /** Carries out a command from the remote. @param {string} way */
    wish(way) {
      wishes[way]?.();
    },
    destroy() {
      unbind();
      clearInterval(timer);
      asked?.destroy?.();
      room?.destroy();
    },
  };
  room?.lead(view);
  return view;
}

/** @param {HTMLElement} root */
function fullScreen(root) {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen?.();
}
