/** The page of the audience: the question, the visitor's answer, the presenter's picture. */

import { createFollower } from "./follow.js";

/**
 * @typedef {{kind: "choice" | "curve" | "points" | "runs", text: string, options?: string[], axis?: number[],
 *   low?: number, high?: number, log?: boolean, param?: string, symbol?: string}} Question
 * @typedef {{ended?: boolean, shelf: string | null, step: number, steps: number, phase: string, title: string, round: number,
 *   votes: number, closed: boolean, question?: Question, answer?: number, truth?: number[],
 *   results?: {counts?: number[]}[]}} State
 * @typedef {ReturnType<typeof import("./curve_pad.js").createCurvePad>} Pad
 * @typedef {{answer: any, round: number, score?: number, truth?: number[]}} Own
 */

const join = `/join/${document.body.dataset.room}`;
/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const place = byId("place");
const asked = byId("asked");
const said = byId("said");

/** @type {State | null} */
let state = null;
/** @type {Record<string, Own>} */
let own = {};
let shown = "";
let requests = 0; // for the visitor's own answers
/** @type {Pad | null} */
let pad = null;
const follower = createFollower(byId("follow"), (x, y) => {
  if (state?.question?.kind === "points" && !state.closed) send([x, y]);
});

/** @param {any} answer */
async function send(answer) {
  if (!state) return;
  const { step, round } = state;
  say("Sending …");
  try {
    const reply = await fetch(`${join}/answers`, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ step, answer }),
    });
    const told = await reply.json();
    if (!reply.ok) {
      say(told.error);
      return;
    }
    own[step] = { answer, round };
    keepLink();
    say("Counted. You can change it until the answer is shown.");
  } catch {
    say("Not sent: no connection. Try again.");
  }
  update();
}

/** @param {string} text */
function say(text) {
  said.textContent = text;
}

/** @param {string} tag @param {Record<string, any>} properties @param {(Node | string)[]} children */
function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Builds the elements of a step and round; later updates only mark them. */
function build() {
  if (!state) return;
  pad?.destroy();
  pad = null;
  follower.clear();
  asked.replaceChildren();
  const { question } = state;
  if (!question) {
    asked.append(make("p", {}, "No question here: watch the picture."));
    return;
  }
  asked.append(make("p", { className: "question" }, question.text));
  if (question.kind === "choice") {
    asked.append(...(question.options ?? []).map((option, at) =>
      make("button", { type: "button", className: "option", onclick: () => send(at) }, option)));
  } else if (question.kind === "curve") {
    const host = make("div", {});
    asked.append(host);
    layPaper(host, question);
  } else if (question.kind === "points") {
    asked.append(make("p", {}, "Tap the picture where you want to place it."));
  } else runs(question);
}

/** Loads the pad, which only drawing questions need. @param {HTMLElement} host @param {Question} question */
async function layPaper(host, { text, axis = [0, 1] }) {
  const { createCurvePad } = await import("./curve_pad.js");
  if (!host.isConnected) return;
  pad = createCurvePad(host, { low: axis[0], high: axis[1], label: text, onDraw: (curve) => curve && send(curve) });
  update();
}

/** @param {Question} question */
function runs({ param = "", symbol = param, low = 0, high = 1, log = false }) {
  const whole = param === "seed";
  const drawn = whole ? Math.floor(low + Math.random() * (high - low + 1)) : (low + high) / 2;
  const input = make("input", { type: "range", min: String(low), max: String(high), step: whole ? "1" : "0.25", value: String(drawn) });
  const words = make("output", {});
  const tell = () => {
    const value = Number(/** @type {HTMLInputElement} */ (input).value);
    words.textContent = log ? `2^${value}` : String(value);
  };
  input.setAttribute("aria-label", whole ? "Your split" : symbol);
  input.addEventListener("input", tell);
  tell();
  const go = make("button", {
    type: "button", className: "option", onclick: () => send(Number(/** @type {HTMLInputElement} */ (input).value)),
  }, whole ? "This is my split" : "This is my value");
  asked.append(make("p", {}, whole ? "You are one split." : `You are one value of ${symbol}: choose which.`), input, words, go);
}

function update() {
  if (!state) return;
  const key = `${state.step}.${state.round}`;
  if (key !== shown) {
    shown = key;
    say("");
    build();
  }
  const { step, steps, title, question, closed, votes, round } = state;
  place.textContent = `${step} of ${steps}: ${title}${round > 1 ? " (second vote)" : ""}`;
  byId("votes").textContent = `${votes} ${votes === 1 ? "answer" : "answers"} so far`;
  const mine = own[step];
  const current = mine && mine.round === round ? mine : null;
  const counts = state.results?.at(-1)?.counts;
  [...asked.querySelectorAll("button.option")].forEach((button, at) => {
    const option = question?.options?.[at];
    if (option === undefined) return;
    button.setAttribute("aria-pressed", String(current?.answer === at));
    button.classList.toggle("right", state?.answer === at);
    button.textContent = counts ? `${option} (${counts[at]})` : option;
  });
  for (const button of asked.querySelectorAll("button, input")) button.toggleAttribute("disabled", closed);
  if (pad) {
    pad.lock(closed);
    if (current && !pad.curve) pad.set(current.answer);
    pad.show(state.truth ? [{ curve: state.truth, color: "#009E73", width: 4 }] : []);
  }
  if (closed) say(verdict(current ?? mine ?? null));
}

/** @param {Own | null} mine */
function verdict(mine) {
  if (!mine || !state) return "The answer is shown.";
  if (state.answer !== undefined) return mine.answer === state.answer ? "Yes, that is it." : `It was: ${state.question?.options?.[state.answer]}`;
  if (mine.score !== undefined) return `Area between your curve and the true one: ${mine.score.toPrecision(3)} (in units of margin).`;
  return "The answer is shown.";
}

async function fetchOwn() {
  const request = (requests += 1);
  const reply = await fetch(`${join}/mine`);
  if (!reply.ok) return;
  const { answers } = await reply.json();
  if (request !== requests) return; // the reply to a later request may come first, and knows more
  own = answers;
  keepLink();
  update();
}

/** Puts the visitor's predictions into a link to keep, as the room deletes them. */
function keepLink() {
  const kept = Object.fromEntries(Object.entries(own).map(([step, { answer }]) => [step, answer]));
  const text = btoa(JSON.stringify(kept)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const link = /** @type {HTMLAnchorElement} */ (byId("home"));
  if (state?.shelf) link.href = `/lecture?lesson=${encodeURIComponent(state.shelf)}&read=1#mine=${text}`;
  link.hidden = !state?.shelf || Object.keys(own).length === 0; // a lesson from the presenter's own file has no URL
}

function listen() {
  const events = new EventSource(`${join}/events`);
  /** @param {string} name @param {(data: any) => void} take */
  const on = (name, take) => events.addEventListener(name, (event) => take(JSON.parse(/** @type {MessageEvent} */ (event).data)));
  on("mine", (told) => {
    own = told.answers;
    keepLink();
    update();
  });
  on("scene", follower.show);
  on("state", (next) => {
    if (next.ended) {
      events.close();
      asked.replaceChildren();
      byId("follow").replaceChildren();
      place.textContent = "This room has ended.";
      say(byId("home").hidden ? "Nothing is stored." : "Nothing is stored. Your predictions are in the link below.");
      return;
    }
    const closedNow = Boolean(next.closed && (!state?.closed || next.truth && !state.truth));
    state = next;
    update();
    keepLink();
    if (closedNow) fetchOwn();
  });
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) say("The room has ended, or the server does not respond. Reload the page.");
  };
}

listen();
