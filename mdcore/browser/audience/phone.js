/** The page of the audience: the question, the visitor's answer, the presenter's picture. */

import { createPicture } from "./picture.js";
import { KINDS } from "../questions/kinds.js";
import { h, setText } from "../shell/dom.js";

/** @typedef {{[step: string]: {answer: any, round: number}}} Own */

/** @param {HTMLElement} page */
export default function openPhone(page) {
  const join = `/join/${page.dataset.room}`;
  /** @param {string} id */
  const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
  const place = byId("place");
  const slot = byId("asked");
  const picture = createPicture(byId("follow"), (point) => send(point));
  /** @type {RoomState | null} */
  let state = null;
  /** The visitor's answers, of which this page knows the latest. @type {Own} */
  let own = {};
  /** @type {Asked | null} */
  let asked = null;
  let built = "";

  /** @param {string} words */
  const say = (words) => setText(byId("said"), words);

  /** @param {any} answer */
  async function send(answer) {
    if (!state) return;
    const { step, round } = state;
    say("Sending …");
    try {
      const headers = { "content-type": "application/json" };
      const reply = await fetch(`${join}/answers`, { method: "POST", headers, body: JSON.stringify({ step, answer }) });
      if (reply.ok) own[step] = { answer, round };
      say(reply.ok ? "Counted. You can change it until the answer is shown." : (await reply.json()).error);
    } catch {
      say("Not sent: no connection. Try again.");
    }
    update();
  }

  /** Builds the question of a step and round; later updates only mark it. @param {Question | undefined} question */
  function build(question) {
    asked?.destroy?.();
    asked = question ? KINDS[question.kind].ask(question, { where: "phone", give: send }) : null;
    slot.replaceChildren(...(question && asked
      ? [h("p", { class: "ml-asked" }, question.text), asked.element] : [h("p", {}, "No question here: watch the picture.")]));
  }

  function update() {
    if (!state) return;
    const { step, steps, title, question, closed, votes, round, results = [], answer: right, truth = right } = state;
    if (built !== `${step}.${round}`) {
      built = `${step}.${round}`;
      say("");
      build(question);
    }
    setText(place, `${step} of ${steps}: ${title}${round > 1 ? " (second vote)" : ""}`);
    setText(byId("votes"), `${votes} ${votes === 1 ? "answer" : "answers"} so far`);
    const answer = closed || own[step]?.round === round ? own[step]?.answer : undefined;
    const verdict = asked?.show({ answer, closed, truth, rounds: results, runs: [], methods: [] });
    picture.use(asked?.tool ?? null, { answer, closed });
    if (closed) say(verdict || "The answer is shown.");
    keepLink(state);
  }

  /** Puts the visitor's predictions into a link to keep, as the room deletes them. @param {RoomState} now */
  function keepLink({ shelf }) {
    const kept = Object.fromEntries(Object.entries(own).map(([step, { answer }]) => [step, answer]));
    const text = btoa(JSON.stringify(kept)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const link = /** @type {HTMLAnchorElement} */ (byId("home"));
    if (shelf) link.href = `/lecture?lesson=${encodeURIComponent(shelf)}&read=1#mine=${text}`;
    link.hidden = !shelf || Object.keys(own).length === 0; // a lesson from the presenter's own file has no URL
  }

  function end() {
    events.close();
    slot.replaceChildren();
    byId("follow").replaceChildren();
    setText(place, "This room has ended.");
    say(byId("home").hidden ? "Nothing is stored." : "Nothing is stored. Your predictions are in the link below.");
  }

  const events = new EventSource(`${join}/events`);
  /** @param {string} name @param {(data: any) => void} take */
  const on = (name, take) => events.addEventListener(name, (event) => take(JSON.parse(/** @type {MessageEvent} */ (event).data)));
  on("mine", ({ answers }) => {
    own = { ...answers, ...own }; // what was packed before a vote may arrive after it
    update();
  });
  on("scene", picture.receive);
  on("state", (next) => {
    if (next.ended) {
      end();
      return;
    }
    state = next;
    update();
  });
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) say("The room has ended, or the server does not respond. Reload the page.");
  };
}
