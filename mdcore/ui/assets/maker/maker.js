/** A lesson put together: states of the stage with their words, the controls that stay, in an order of one's own. */

/**
 * @typedef {{title: string, text?: string[], formula?: string, state: string, keep?: string[], question?: any,
 *   reveal: {state: string, text?: string[]}, notes?: string}} Step
 * @typedef {{format: string, version: number, title: string, steps: Step[]}} Lesson
 */

const OWN = "margin-lab own lesson"; // where the lecture looks for it
const DRAFT = "margin-lab lesson in the making";

/** @param {string} id */
const byId = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));
const list = byId("steps");
/** @type {Lesson} */
let lesson = recall() ?? { format: "margin-lab-lesson", version: 1, title: "My lesson", steps: [] };

const textOf = () => `${JSON.stringify(lesson, null, 2)}\n`;

/** @returns {Lesson | null} */
function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
  } catch {
    return null; // a browser that keeps nothing
  }
}

function keep() {
  sessionStorage.setItem(DRAFT, textOf());
}

/** @param {string} words */
function say(words) {
  byId("said").textContent = words;
}

/** The state in an address of the playground, or the text itself. @param {string} text */
function stateOf(text) {
  const at = text.indexOf("?");
  return (at < 0 ? text : text.slice(at + 1)).replace(/#.*$/, "").trim();
}

/** @param {string} tag @param {Record<string, any>} properties @param {(Node | string)[]} children */
function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** What is left empty is left out. @param {any} owner @param {string} key @param {any} value */
function put(owner, key, value) {
  if (value === "" || value.length === 0) delete owner[key];
  else owner[key] = value;
  keep();
}

/** @param {string} label @param {string} value @param {(text: string) => void} take */
function line(label, value, take) {
  return make("label", {}, label, make("input", { type: "text", value, onchange: (/** @type {any} */ event) => take(event.target.value) }));
}

/** Paragraphs, parted by an empty line. @param {string} label @param {string[]} value @param {(text: string[]) => void} take */
function paragraphs(label, value, take) {
  /** @param {any} event */
  const split = (event) => {
    const parts = /** @type {string[]} */ (event.target.value.split(/\n\s*\n/));
    take(parts.map((one) => one.trim()).filter(Boolean));
  };
  return make("label", {}, label, make("textarea", { value: value.join("\n\n"), onchange: split }));
}

/** @param {Step} step */
async function controls(step) {
  const box = make("fieldset", {}, make("legend", {}, "Controls that stay"));
  const reply = await fetch(`/lessons/controls?${step.reveal.state}`);
  const known = reply.ok ? await reply.json() : [];
  if (!reply.ok) box.append((await reply.json()).error);
  box.append(...known.map((/** @type {{name: string, label: string}} */ { name, label }) => make("label", {}, make("input", {
    type: "checkbox", checked: step.keep?.includes(name) ?? false,
    onchange: (/** @type {any} */ event) => {
      const others = (step.keep ?? []).filter((other) => other !== name);
      put(step, "keep", event.target.checked ? [...others, name] : others);
    },
  }), label)));
  return box;
}

/** @param {Step} step */
function question(step) {
  const asked = step.question;
  if (asked && asked.kind !== "choice") return make("p", {}, `A question of the kind “${asked.kind}” is kept as it is: ${asked.text}`);
  const box = make("div", {});
  const fields = () => ({
    text: /** @type {HTMLInputElement} */ (box.querySelector("input")).value.trim(),
    options: /** @type {HTMLTextAreaElement} */ (box.querySelector("textarea")).value.split("\n").map((one) => one.trim()).filter(Boolean),
  });
  const take = () => {
    const { text, options } = fields();
    const marked = options.findIndex((option) => option.startsWith("*"));
    if (!text || options.length < 2) delete step.question;
    else step.question = { kind: "choice", text, options: options.map((option) => option.replace(/^\*\s*/, "")), answer: Math.max(0, marked) };
    keep();
  };
  const options = (asked?.options ?? []).map((/** @type {string} */ option, /** @type {number} */ at) => (at === asked.answer ? `* ${option}` : option));
  box.append(
    make("label", {}, "Question", make("input", { type: "text", value: asked?.text ?? "", onchange: take })),
    make("label", {}, "Options, one in a line; the right one begins with *", make("textarea", { value: options.join("\n"), onchange: take })));
  return box;
}

/** @param {number} from @param {number} to */
function move(from, to) {
  if (to < 0 || to >= lesson.steps.length) return;
  lesson.steps.splice(to, 0, ...lesson.steps.splice(from, 1));
  show();
}

/** @param {Step} step @param {number} at */
function item(step, at) {
  const slot = make("div", {});
  const fill = async () => slot.replaceChildren(await controls(step));
  fill();
  const button = (/** @type {string} */ words, /** @type {() => void} */ act) => make("button", { type: "button", className: "option", onclick: act }, words);
  return make("li", {},
    line("Title", step.title, (text) => put(step, "title", text)),
    paragraphs("Words", step.text ?? [], (text) => put(step, "text", text)),
    line("Formula (LaTeX)", step.formula ?? "", (text) => put(step, "formula", text)),
    line("State before (address of the playground)", step.state, (text) => put(step, "state", stateOf(text))),
    question(step),
    line("State after the reveal", step.reveal.state, (text) => {
      put(step.reveal, "state", stateOf(text));
      fill();
    }),
    paragraphs("Words of the reveal", step.reveal.text ?? [], (text) => put(step.reveal, "text", text)),
    slot,
    line("Notes for the speaker", step.notes ?? "", (text) => put(step, "notes", text)),
    make("p", { className: "row" },
      button("Up", () => move(at, at - 1)), button("Down", () => move(at, at + 1)),
      button("Remove", () => {
        lesson.steps.splice(at, 1);
        show();
      })));
}

function show() {
  keep();
  byId("title").value = lesson.title;
  list.replaceChildren(...lesson.steps.map(item));
}

/** @param {string} state */
function add(state) {
  lesson.steps.push({ title: `Step ${lesson.steps.length + 1}`, state, reveal: { state } });
  show();
}

/** @param {string} text @returns {Promise<boolean>} whether it is a lesson; if not, why is said */
async function check(text) {
  const told = await (await fetch("/lessons/check", { method: "POST", body: text })).json();
  say(told.error ?? "");
  return !told.error;
}

byId("title").addEventListener("change", () => {
  lesson.title = byId("title").value;
  keep();
});
byId("add").addEventListener("click", () => add("data=moons&methods=svm,ldm"));
byId("preview").addEventListener("click", async () => {
  if (!(await check(textOf()))) return;
  sessionStorage.setItem(OWN, textOf());
  window.open("/lecture?lesson=own&read=1");
});
byId("save").addEventListener("click", async () => {
  const text = textOf();
  if (!(await check(text))) return;
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "lesson.json" });
  link.click();
});
byId("open").addEventListener("change", async () => {
  const chosen = byId("open").files?.[0];
  byId("open").value = "";
  if (!chosen) return;
  const text = await chosen.text();
  if (!(await check(text))) return;
  lesson = JSON.parse(text);
  show();
});

const given = new URLSearchParams(location.search).get("state");
if (given) {
  history.replaceState(null, "", location.pathname);
  add(stateOf(given));
} else show();
