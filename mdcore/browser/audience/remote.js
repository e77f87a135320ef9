/** The presenter's second window or phone: the notes of the step, a clock, and buttons that control the lecture. */

const join = `/join/${document.body.dataset.room}`;
const key = location.hash.slice(1);
/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const headers = { "x-room-key": key, "content-type": "application/json" };
const begun = Date.now();

/** @type {{title: string, notes: string, question: string}[]} */
let steps = [];

/** @param {string} go */
async function wish(go) {
  const reply = await fetch(`${join}/present`, { method: "POST", headers, body: JSON.stringify({ go }) });
  if (!reply.ok) byId("votes").textContent = (await reply.json()).error;
}

for (const go of ["back", "next", "open", "again"]) byId(go).addEventListener("click", () => wish(go));
document.addEventListener("keydown", (event) => {
  const go = { ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back" }[event.key];
  if (!go) return;
  event.preventDefault();
  wish(go);
});

byId("phone").addEventListener("toggle", async () => {
  const reply = await fetch(`${join}/remote.svg`, { headers });
  if (reply.ok) /** @type {HTMLImageElement} */ (byId("code")).src = URL.createObjectURL(await reply.blob());
}, { once: true });

/** @type {{[phase: string]: string}} */
const PHASES = { ask: "the question", reveal: "the answer", play: "free play" };

/** @param {{ended?: boolean, step: number, steps: number, phase: string, votes: number, phones: number}} state */
function show(state) {
  if (state.ended) {
    byId("place").textContent = "This room has ended.";
    return;
  }
  const { title = "", notes = "", question = "" } = steps[state.step - 1] ?? {};
  byId("place").textContent = `${state.step} of ${state.steps}, ${PHASES[state.phase]}: ${title}`;
  byId("votes").textContent = `answers: ${state.votes}, phones: ${state.phones}`;
  byId("asked").textContent = question;
  byId("notes").textContent = notes;
}

const reply = await fetch(`${join}/notes`, { headers });
if (reply.ok) {
  steps = (await reply.json()).steps;
  const events = new EventSource(`${join}/events`);
  events.addEventListener("state", (event) => show(JSON.parse(event.data)));
} else byId("place").textContent = (await reply.json()).error;

setInterval(() => {
  const seconds = Math.floor((Date.now() - begun) / 1000);
  byId("clock").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}, 1000);
