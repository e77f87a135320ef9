/** The lesson maker: states of the stage with their texts, controls to keep, and the order of the steps. */

import { choice, line, lines, paragraphs, put as set, ticks } from "./fields.js";
import { questionForm } from "./question.js";
import { OWN_LESSON } from "../lecture/kept.js";
import { h } from "../shell/dom.js";
import { recall, remember } from "../state/storage.js";

/**
 * @typedef {{paper: string, table: number, methods: string[]}} PaperTable
 * @typedef {{title: string, text?: string[], formula?: string, state: string, views?: string[], tables?: PaperTable[], keep?: string[],
 *   question?: any, reveal: {state: string, text?: string[], try?: string[]}, page?: string, notes?: string}} Step
 * @typedef {{format: string, version: number, title: string, steps: Step[]}} Lesson
 */

const DRAFT = "margin-lab lesson in the making";
const PAPERS = "papers"; // the view that shows tables of papers

export default function openMaker() {
  /** @param {string} id */
  const byId = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));
  const schema = fetch("/lessons/schema.json").then((reply) => reply.json());
  /** @type {Lesson} */
  let lesson = recall("sessionStorage", DRAFT) ?? { format: "margin-lab-lesson", version: 1, title: "My lesson", steps: [] };

  const textOf = () => `${JSON.stringify(lesson, null, 2)}\n`;
  const keep = () => remember("sessionStorage", DRAFT, lesson);

  /** Sets a property, or deletes it if the value is empty. @param {any} owner @param {string} key @param {any} value */
  function put(owner, key, value) {
    set(owner, key, value);
    keep();
  }

  /** Builds the fields that depend on the revealed state: the question, the pictures, the controls to keep. @param {Step} step */
  async function choices(step) {
    const reply = await fetch(`/lessons/controls?${step.reveal.state}`);
    const told = await reply.json();
    if (!reply.ok) return [h("p", {}, told.error)];
    const { $defs: { step: { properties }, question: { oneOf } } } = await schema;
    /** @param {string} kind */
    const schemaOf = (kind) => oneOf.find((/** @type {any} */ each) => each.properties.kind.const === kind).properties;
    const views = properties.views.items.enum.filter((/** @type {string} */ view) => view !== PAPERS);
    return [
      questionForm(step, (kind) => ({ ...told, schema: schemaOf(kind) }), keep),
      ticks("Controls to keep", told.controls, step.keep ?? [], (names) => put(step, "keep", names)),
      ticks("Pictures to show (none ticked: boundary and cumulative)", named(views), step.views ?? [],
        (names) => put(step, "views", names)),
      lines("Papers' tables, one per line: paper, table, methods (ldm-2014 2 svm,ldm)", (step.tables ?? []).map(tableText).join("\n"), (written) => {
        put(step, "tables", written.map(tableOf));
        const others = (step.views ?? []).filter((view) => view !== PAPERS);
        put(step, "views", written.length ? [...others, PAPERS] : others);
      }),
      choice("Page to continue on", [{ name: "", label: "none" }, ...named(properties.page.enum)], step.page ?? "", (name) => put(step, "page", name)),
    ];
  }

  /** @param {number} from @param {number} to */
  function move(from, to) {
    if (to < 0 || to >= lesson.steps.length) return;
    lesson.steps.splice(to, 0, ...lesson.steps.splice(from, 1));
    show();
  }

  /** @param {Step} step @param {number} at */
  function item(step, at) {
    const slot = h("div", {});
    const fill = async () => slot.replaceChildren(...await choices(step));
    fill();
    /** @param {string} words @param {() => void} onclick */
    const button = (words, onclick) => h("button", { type: "button", class: "ml-option", onclick }, words);
    return h("li", {},
      line("Title", step.title, (text) => put(step, "title", text)),
      paragraphs("Words", step.text ?? [], (text) => put(step, "text", text)),
      line("Formula (LaTeX)", step.formula ?? "", (text) => put(step, "formula", text)),
      line("State before (URL of the playground)", step.state, (text) => put(step, "state", stateOf(text))),
      line("State after the reveal", step.reveal.state, (text) => {
        put(step.reveal, "state", stateOf(text));
        fill();
      }),
      paragraphs("Text of the reveal", step.reveal.text ?? [], (text) => put(step.reveal, "text", text)),
      paragraphs("What to try with the picture (not in a file)", step.reveal.try ?? [], (text) => put(step.reveal, "try", text)),
      slot,
      line("Notes for the speaker", step.notes ?? "", (text) => put(step, "notes", text)),
      h("p", { class: "row" },
        button("Up", () => move(at, at - 1)), button("Down", () => move(at, at + 1)),
        button("Remove", () => {
          lesson.steps.splice(at, 1);
          show();
        })));
  }

  function show() {
    keep();
    byId("title").value = lesson.title;
    byId("steps").replaceChildren(...lesson.steps.map(item));
  }

  /** @param {string} state */
  function add(state) {
    lesson.steps.push({ title: `Step ${lesson.steps.length + 1}`, state, reveal: { state } });
    show();
  }

  /** @param {string} text @returns {Promise<boolean>} whether the text is a lesson; if not, the reason is shown */
  async function check(text) {
    const told = await (await fetch("/lessons/check", { method: "POST", body: text })).json();
    byId("said").textContent = told.error ?? "";
    return !told.error;
  }

  byId("title").addEventListener("change", () => {
    lesson.title = byId("title").value;
    keep();
  });
  byId("add").addEventListener("click", () => add("data=moons&methods=svm,ldm"));
  byId("preview").addEventListener("click", async () => {
    if (!(await check(textOf()))) return;
    remember("sessionStorage", OWN_LESSON, textOf());
    window.open("/lecture?lesson=own&read=1");
  });
  byId("save").addEventListener("click", async () => {
    const text = textOf();
    if (!(await check(text))) return;
    h("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "lesson.json" }).click();
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
}

/** Returns the state in a URL of the playground, or the text itself. @param {string} text */
function stateOf(text) {
  const at = text.indexOf("?");
  return (at < 0 ? text : text.slice(at + 1)).replace(/#.*$/, "").trim();
}

/** @param {string[]} names @returns {Named[]} */
const named = (names) => names.map((name) => ({ name, label: name }));

/** @param {PaperTable} table */
const tableText = ({ paper, table, methods }) => `${paper} ${table} ${methods.join(",")}`;

/** @param {string} text @returns {PaperTable} */
function tableOf(text) {
  const [paper, table, methods = ""] = text.split(/\s+/);
  return { paper, table: Number(table) || 0, methods: methods.split(",").filter(Boolean) };
}
