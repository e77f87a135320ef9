/** The presenter's second window or phone: the notes of the step, a clock, and buttons that control the lecture. */

import { bindKeys } from "../lecture/keys.js";
import { setText } from "../shell/dom.js";
import { minutesSince } from "../shell/format.js";

/** @type {{[phase: string]: string}} */
const PHASES = { ask: "the question", reveal: "the answer", play: "free play" };

/** @param {HTMLElement} page */
export default async function openRemote(page) {
  const join = `/join/${page.dataset.room}`;
  const headers = { "x-room-key": location.hash.slice(1), "content-type": "application/json" };
  const begun = Date.now();
  /** @param {string} id */
  const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

  /** @param {string} go */
  async function wish(go) {
    const reply = await fetch(`${join}/present`, { method: "POST", headers, body: JSON.stringify({ go }) });
    if (!reply.ok) byId("votes").textContent = (await reply.json()).error;
  }

  for (const go of ["back", "next", "open", "again"]) byId(go).addEventListener("click", () => wish(go));
  bindKeys(page, wish);
  byId("phone").addEventListener("toggle", async () => {
    const reply = await fetch(`${join}/remote.svg`, { headers });
    if (reply.ok) /** @type {HTMLImageElement} */ (byId("code")).src = URL.createObjectURL(await reply.blob());
  }, { once: true });
  setInterval(() => setText(byId("clock"), minutesSince(begun)), 1000);

  const reply = await fetch(`${join}/notes`, { headers });
  const told = await reply.json();
  if (!reply.ok) {
    byId("place").textContent = told.error;
    return;
  }
  new EventSource(`${join}/events`).addEventListener("state", (event) => {
    const state = JSON.parse(event.data);
    if (state.ended) {
      byId("place").textContent = "This room has ended.";
      return;
    }
    const { title = "", notes = "", question = "" } = told.steps[state.step - 1] ?? {};
    byId("place").textContent = `${state.step} of ${state.steps}, ${PHASES[state.phase]}: ${title}`;
    byId("votes").textContent = `answers: ${state.votes}, phones: ${state.phones}`;
    byId("asked").textContent = question;
    byId("notes").textContent = notes;
  });
}
