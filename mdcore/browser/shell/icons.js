/** Line icons on a 16 x 16 grid. They are decorative: the button has the accessible name. */

import { drawn } from "./dom.js";

/** @type {{[name: string]: string}} */
const PATHS = {
  point: "M3 2l4 11 1.8-4.2L13 7z",
  add: "M8 3v10M3 8h10",
  edit: "M3 13l.7-2.9L10.8 3l2.2 2.2-7.1 7.1zM9.4 4.4l2.2 2.2",
  fit: "M2 3v10M14 3v10M4.5 8h7M4.5 8L6.3 6.2M4.5 8l1.8 1.8M11.5 8L9.7 6.2M11.5 8L9.7 9.8",
  move: "M8 2v12M2 8h12M8 2L6.3 3.7M8 2l1.7 1.7M8 14l-1.7-1.7M8 14l1.7-1.7M2 8l1.7-1.7M2 8l1.7 1.7M14 8l-1.7-1.7M14 8l-1.7 1.7",
  flip: "M3 6h9M10 3.5L12.5 6 10 8.5M13 11H4M6 8.5L3.5 11 6 13.5",
  delete: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
  probe: "M8 3v4M8 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 6A7 7 0 0 1 4.6 3.4M13.5 6a7 7 0 0 0-2.1-2.6",
  support: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  undo: "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5L6 3.5M3 6.5l3 3",
  redo: "M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10M13 6.5l-3-3M13 6.5l-3 3",
  clear: "M4 4l8 8M12 4l-8 8",
  pin: "M6 2h4l-.6 4.5L12 9H4l2.6-2.5zM8 9v5",
  first: "M3.5 3v10M12.5 3l-7 5 7 5z",
  last: "M12.5 3v10M3.5 3l7 5-7 5z",
  back: "M10 3.5L5.5 8l4.5 4.5",
  forward: "M6 3.5L10.5 8 6 12.5",
  jumpBack: "M7.5 3.5L3 8l4.5 4.5M13 3.5L8.5 8l4.5 4.5",
  jump: "M3 3.5L7.5 8 3 12.5M8.5 3.5L13 8l-4.5 4.5",
  play: "M5 3l8 5-8 5z",
  pause: "M5.5 3v10M10.5 3v10",
  history: "M8 4.5V8l2.5 1.8M2.6 8a5.4 5.4 0 1 0 1.7-3.9M4.3 1.8v2.6h2.6",
  share: "M6.5 9.5l3-3M7.5 4.5L9 3a2.8 2.8 0 0 1 4 4l-1.5 1.5M8.5 11.5L7 13a2.8 2.8 0 0 1-4-4l1.5-1.5",
  export: "M8 2v8M8 10L5 7M8 10l3-3M3 13.5h10",
  projector: "M2 3.5h12v8H2zM8 11.5v2.5M5 14h6",
  tools: "M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M11 2.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4zM5 9.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4z",
  data: "M3 4h10M3 8h10M3 12h10",
  dice: "M3 3h10v10H3zM6 6h.01M10 10h.01M10 6h.01M6 10h.01",
  reset: "M3.2 8a4.8 4.8 0 1 0 1.6-3.6M4.8 2v2.6h2.6",
};

/** @param {string} name */
export function icon(name) {
  return drawn("svg", { viewBox: "0 0 16 16", class: "ml-icon", "aria-hidden": "true" }, drawn("path", { d: PATHS[name] }));
}
