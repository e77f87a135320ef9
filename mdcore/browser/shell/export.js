import { drawFigure, rasterise } from "./figure.js";

const FORMAT = "margin-lab-project";

/**
 * Saves the project file: the whole state, including edits of any length, and the table if it was uploaded.
 * @param {string} query @param {object} [table]
 */
export function saveProject(query, table) {
  const text = JSON.stringify({ format: FORMAT, version: 1, query, table }, null, 2);
  download(new Blob([text], { type: "application/json" }), "margin-lab.json");
}

/**
 * Saves the file that comes with a message.
 * @param {{table?: object, file?: {name: string, kind: string, text: string}}} message @param {string} query
 */
export function takeAlong({ table, file }, query) {
  if (table) saveProject(query, table);
  if (file) download(new Blob([file.text], { type: file.kind }), file.name);
}

/**
 * @param {File} file
 * @returns {Promise<{query: string, table?: object}>} the content of a project file; rejects with an explanation
 */
export async function readProject(file) {
  let project;
  try {
    project = JSON.parse(await file.text());
  } catch {
    throw new Error(`${file.name} is not a project file of Margin Lab: it is not JSON.`);
  }
  if (project?.format !== FORMAT || typeof project.query !== "string") {
    throw new Error(`${file.name} is not a project file of Margin Lab.`);
  }
  return project;
}

/**
 * Saves the picture on screen as a figure, PNG or SVG.
 * @param {HTMLElement} root @param {HTMLElement} views @param {{sentence: string, settings: string}} told
 * @param {"png" | "svg"} format
 * @param {<T>(work: () => T) => T} sharpened  runs the work while the canvases have print resolution
 */
export async function saveFigure(root, views, told, format, sharpened) {
  const figure = sharpened(() => drawFigure(root, views, told));
  const blob = format === "svg" ? new Blob([figure.text], { type: "image/svg+xml" }) : await rasterise(figure);
  download(blob, `margin-lab.${format}`);
}

/** @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
