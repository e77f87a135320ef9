import { createPopover } from "./a11y.js";
import { h } from "./dom.js";
import { download, readProject, saveFigure } from "./export.js";
import { short } from "./format.js";
import { icon } from "./icons.js";
import { formatQuery, parseQuery, recipe } from "../state/query.js";
import { readNumber } from "../state/track.js";

/**
 * @import { Entry } from "../state/recent_settings.js"
 *
 * @typedef {{controlOf: (key: string) => AnyControl | undefined, nameOf: (method: string) => string}} Names
 * @typedef {[words: string, action: () => void]} Item
 * @typedef {{label: string, name: string, kind: string, text: string}} TextFile  listed under its label
 */

/**
 * Creates the menu of recent settings, newest first, each described by what changed.
 * @param {{entries: Entry[]}} recent @param {Stage} stage @param {Names} names
 * @param {(query: string) => void} go
 */
export function createRecentMenu(recent, stage, { controlOf, nameOf }, go) {
  const button = h("button", { type: "button", class: "ml-button", "aria-label": "Recent settings", title: "Recent settings" }, icon("history"));
  const list = h("ol", { class: "ml-recent" });
  const panel = h("div", { role: "dialog", "aria-label": "Recent settings" }, h("strong", {}, "Recent settings"), list);
  button.addEventListener("click", fill);
  createPopover(button, panel);

  function fill() {
    const now = formatQuery(recipe(stage.map));
    list.replaceChildren(...recent.entries.map(({ query, before }) =>
      h("li", {}, h("button", {
        type: "button", class: "ml-item", "aria-current": query === now ? "true" : null,
        onclick: () => {
          panel.hidePopover();
          go(query);
        },
      }, before === null ? "opening state" : describe(before, query, controlOf, nameOf)))));
  }

  return h("span", { class: "ml-group" }, button, panel);
}

/**
 * Describes the difference between two states, with the names of methods and the symbols of controls.
 * @param {string} before @param {string} after @param {Names["controlOf"]} controlOf
 * @param {Names["nameOf"]} nameOf
 */
function describe(before, after, controlOf, nameOf) {
  const old = parseQuery(before);
  const now = parseQuery(after);
  const stay = new Set(methodsOf(now).filter((key) => methodsOf(old).includes(key)));
  /** @param {string} key */
  const differs = (key) => key !== "within" && old.get(key) !== now.get(key) && (!key.includes(".") || stay.has(ownerOf(key)));
  const texts = [...new Set([...now.keys(), ...old.keys()])].filter(differs).map((key) => {
    if (key === "edits") return count(now) > count(old) ? "edit" : "edits removed";
    if (key === "methods") return methodsOf(now).map(nameOf).join(", ");
    const control = controlOf(key);
    const text = now.get(key) ?? control?.default ?? "default";
    const symbol = control?.symbol ?? key;
    return `${key.includes(".") ? `${nameOf(ownerOf(key))} ${symbol}` : symbol} = ${short(readNumber(String(text)))}`;
  });
  return texts.length > 3 ? `${texts.slice(0, 3).join(", ")} …` : texts.join(", ");
}

/** @param {Map<string, string>} map */
const methodsOf = (map) => (map.get("methods") ?? "").split(",");
/** @param {string} key */
const ownerOf = (key) => key.split(".")[0];
/** @param {Map<string, string>} map */
const count = (map) => (map.get("edits") ?? "").length;

const OWN = "own:"; // prefix of the keys of uploaded tables

/** Exports made by Python, with their file names. */
const FILES = [
  ["Margins of every example (CSV)", "margins.csv"],
  ["Interactive figures (HTML)", "figures.html"],
  ["Python script", "picture.py"],
  ["Notebook", "picture.ipynb"],
];

/**
 * Creates the menu to save and open project files, and to export the views.
 * @param {HTMLElement} root @param {HTMLElement} views @param {Stage} stage
 * @param {{goTo: (query: string, table: object | null) => void, save: (file?: string) => void, sharpened: <T>(work: () => T) => T}} actions
 */
export function createExportMenu(root, views, stage, { goTo, save, sharpened }) {
  const file = h("input", { type: "file", accept: ".json,application/json", class: "ml-hidden", tabindex: "-1", "aria-label": "Project file", onchange: open });
  /** @type {Item[]} */
  const items = [
    ["Picture of the views (PNG)", () => saveFigure(root, views, stage.scene, "png", sharpened)],
    ["Picture of the views (SVG)", () => saveFigure(root, views, stage.scene, "svg", sharpened)],
    ...FILES.map(([words, name]) => /** @type {Item} */ ([words, () => fetchFile(name)])),
    ["A step of a lesson …", () => window.open(new URL(`/lesson-maker?state=${encodeURIComponent(stage.scene.query)}`, location.href))],
    ["Project file (JSON)", () => save()],
    ["Open a project file …", () => file.click()],
  ];

  /** Downloads an export made by Python; for an uploaded table, the session makes it, as no URL contains the table. @param {string} name */
  async function fetchFile(name) {
    if (stage.scene.source.startsWith(OWN)) return save(name);
    const reply = await fetch(new URL(`/export/${name}?${stage.scene.query}`, location.href));
    if (reply.ok) download(await reply.blob(), name);
    else stage.complain((await reply.json()).error);
  }

  async function open() {
    const chosen = file.files?.[0];
    file.value = "";
    if (!chosen) return;
    try {
      const { query, table = null } = await readProject(chosen);
      goTo(query, table);
    } catch (error) {
      stage.complain(error instanceof Error ? error.message : String(error));
    }
  }

  return createItemMenu("Export", items, file);
}

/**
 * Creates a menu of existing files.
 * @param {string} name @param {TextFile[]} files
 */
export const createFileMenu = (name, files) => createItemMenu(name, files.map(({ label, name: file, kind, text }) =>
  [label, () => download(new Blob([text], { type: kind }), file)]));

/**
 * Creates an export button with a list that closes on selection.
 * @param {string} name @param {Item[]} items @param {...HTMLElement} beside
 */
function createItemMenu(name, items, ...beside) {
  const button = h("button", { type: "button", class: "ml-button", "aria-label": name, title: name }, icon("export"));
  const panel = h("div", { role: "dialog", "aria-label": name });
  panel.append(...items.map(([words, action]) => h("button", {
    type: "button", class: "ml-item",
    onclick: () => {
      panel.hidePopover();
      action();
    },
  }, words)), ...beside);
  createPopover(button, panel);
  return h("span", { class: "ml-group" }, button, panel);
}
