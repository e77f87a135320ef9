/** The menu of lessons: other lessons, a lesson from a file, and ways to save the lesson. */

import { createPopover } from "../shell/a11y.js";
import { h } from "../shell/dom.js";
import { OWN_LESSON } from "./kept.js";
import { remember } from "../state/storage.js";

/** @param {string} search */
function visit(search) {
  location.assign(`${location.pathname}?${search}`);
}

/** @param {{name: string, own: string | null}} lesson */
export function createLessonMenu({ name, own }) {
  const button = h("button", { type: "button", class: "ml-button" }, "Lesson");
  const list = h("div", {});
  const problem = h("p", { class: "ml-lecture-problem", role: "alert" });
  const file = h("input", { type: "file", accept: ".json,application/json", class: "ml-hidden", tabindex: "-1", "aria-label": "Lesson file", onchange: read });
  /** @param {string} text @param {() => void} act */
  const item = (text, act) => h("button", { type: "button", class: "ml-item", onclick: act }, text);
  /** @param {string} text @param {string} href */
  const link = (text, href) => h("a", { class: "ml-item", href, target: "_blank", rel: "noopener" }, text);
  const reading = location.search.includes("read=1");
  const taken = own ? [] : [
    link("Hand-out to print", `lessons/${name}/handout`),
    link("Notes to print", `lessons/${name}/handout?notes=1`),
    h("a", { class: "ml-item", href: `lessons/${name}/offline`, download: `${name}.html` }, "The whole lecture as one file (HTML)"),
    h("a", { class: "ml-item", href: `lessons/${name}/source`, download: `${name}.json` }, "The lesson (JSON)"),
  ];
  const panel = h("div", { role: "dialog", "aria-label": "Lesson" },
    h("strong", {}, "Lessons"), list,
    item("Open a lesson file …", () => file.click()), file, problem,
    h("a", { class: "ml-item", href: "lesson-maker", target: "_blank", rel: "noopener" }, "Make a lesson …"),
    item(reading ? "Present it" : "Read it alone", () => visit(reading ? `lesson=${name}` : `lesson=${name}&read=1`)),
    taken);
  createPopover(button, panel);
  button.addEventListener("click", fill, { once: true });

  async function fill() {
    const known = await (await fetch(new URL("lessons", location.href))).json();
    list.replaceChildren(...known.map((/** @type {{name: string, title: string, error?: string}} */ each) => item(each.error ? `${each.name}: ${each.error}` : each.title, () => visit(`lesson=${each.name}`))));
  }

  async function read() {
    const chosen = file.files?.[0];
    file.value = "";
    if (!chosen) return;
    const text = await chosen.text();
    const told = await (await fetch(new URL("lessons/check", location.href), { method: "POST", body: text })).json();
    if (told.error) {
      problem.textContent = `${chosen.name}: ${told.error}`;
      return;
    }
    remember("sessionStorage", OWN_LESSON, text);
    visit("lesson=own");
  }

  return h("span", { class: "ml-group" }, button, panel);
}
