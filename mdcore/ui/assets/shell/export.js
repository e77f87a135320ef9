import { drawFigure, rasterise } from "./figure.js";

const FORMAT = "margin-lab-project";

/**
 * The project file: the whole state, edits of any length included, and the table where it is one's own.
 * @param {string} query @param {object} [table]
 */
export function saveProject(query, table) {
  const text = JSON.stringify({ format: FORMAT, version: 1, query, table }, null, 2);
  download(new Blob([text], { type: "application/json" }), "margin-lab.json");
}

/**
 * What a message brings to be saved.
 * @param {{table?: object, file?: {name: string, kind: string, text: string}}} message @param {string} query
 */
export function takeAlong({ table, file }, query) {
  if (table) saveProject(query, table);
  if (file) download(new Blob([file.text], { type: file.kind }), file.name);
}

/**
 * @param {File} file
 * @returns {Promise<{query: string, table?: object}>} what a project file holds, or an Error that says what is wrong
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
 * The picture on screen as a figure, in pixels or as a drawing.
 * @param {HTMLElement} root @param {HTMLElement} views @param {{sentence: string, settings: string}} told
 * @param {"png" | "svg"} format
 * @param {<T>(work: () => T) => T} sharpened  does the work while the canvases are fine enough to be printed
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
