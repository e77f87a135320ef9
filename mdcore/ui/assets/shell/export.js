// @ts-check
import { penOf } from "../canvas/surface.js";

/** @import { Pen } from "../canvas/surface.js" */

const FORMAT = "margin-lab-project";
const MARGIN = 12;
const FOOT = 28;

/**
 * The project file: the whole state, edits of any length included, and the table where it is one's own.
 * @param {string} query @param {object} table
 */
export function saveProject(query, table) {
  const text = JSON.stringify({ format: FORMAT, version: 1, query, table }, null, 2);
  download(new Blob([text], { type: "application/json" }), "margin-lab.json");
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
 * The views as one picture, as they stand on the screen: canvases, words and numbers, without the handles.
 * @param {HTMLElement} root @param {HTMLElement} views @param {string} sentence
 */
export function savePicture(root, views, sentence) {
  const scale = Math.max(2, window.devicePixelRatio);
  const frame = views.getBoundingClientRect();
  const canvas = document.createElement("canvas");
  canvas.width = (frame.width + 2 * MARGIN) * scale;
  canvas.height = (frame.height + 2 * MARGIN + FOOT) * scale;
  const pen = penOf(canvas);
  pen.fillStyle = getComputedStyle(root).backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.setTransform(scale, 0, 0, scale, (MARGIN - frame.left) * scale, (MARGIN - frame.top) * scale);
  for (const source of views.querySelectorAll("canvas")) {
    const { left, top, width, height } = source.getBoundingClientRect();
    pen.drawImage(source, left, top, width, height);
  }
  for (const { text, element, box } of words(views)) write(pen, text, element, box);
  for (const rule of views.querySelectorAll(".ml-panel-head")) {
    const { left, bottom, width } = rule.getBoundingClientRect();
    pen.fillStyle = getComputedStyle(rule).borderBottomColor;
    pen.fillRect(left, bottom - 2, width, 2);
  }
  write(pen, sentence, root, { left: frame.left, top: frame.bottom, width: frame.width, height: FOOT });
  canvas.toBlob((blob) => blob && download(blob, "margin-lab.png"));
}

/** Every visible piece of text of the views and where it stands; a canvas has written its own. @param {HTMLElement} views */
function words(views) {
  /** @type {{text: string, element: Element, box: DOMRect}[]} */
  const found = [];
  const walker = document.createTreeWalker(views, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    const element = /** @type {Element} */ (node.parentElement);
    if (element.closest("button, select, summary, [popover], .ml-view, .ml-hidden")) continue;
    range.selectNode(node);
    found.push({ text: node.data, element, box: range.getBoundingClientRect() });
  }
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (views.querySelectorAll("input[type=number]"))) {
    found.push({ text: field.value, element: field, box: field.getBoundingClientRect() });
  }
  return found.filter(({ box }) => box.width > 0);
}

/**
 * @param {Pen} pen @param {string} text @param {Element} element
 * @param {{left: number, top: number, width: number, height: number}} box
 */
function write(pen, text, element, { left, top, width, height }) {
  const { fontWeight, fontSize, fontFamily, color } = getComputedStyle(element);
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  pen.fillStyle = color;
  pen.textBaseline = "middle";
  pen.fillText(text, left, top + height / 2, width);
}

/** @param {Blob} blob @param {string} name */
function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
