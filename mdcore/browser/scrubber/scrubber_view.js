/** A path of scenes to scrub without a server: the views of the stage, a slider over the frames, play. */

import { createCumulative } from "../charts/cumulative.js";
import { h, setAttribute, setText } from "../shell/dom.js";
import { createHistogram } from "../charts/histogram.js";
import { createLegend } from "../charts/legend.js";
import { createPanelRow } from "../charts/panel_row.js";
import { decode } from "../state/message.js";
import { createPlayer } from "./scrubber_play.js";
import { createStillStage } from "../shell/still_stage.js";
import { createTable } from "../charts/table.js";
import { clamp } from "../state/track.js";

/**
 * @typedef {Scene & {value: string, classMarks: ClassMark[], drawnAs: Map<string, Scene>}} PathFrame
 * @typedef {{symbol: string, key: string, settings: string, frames: PathFrame[]}} Path
 */

/**
 * @param {HTMLElement} parent
 * @param {Uint8Array} bytes from pack_path in Python
 * @param {{offline: boolean}} options offline, no link opens the stage; nor does one for an uploaded table, which no URL contains
 */
export function createScrubber(parent, bytes, { offline }) {
  const { frames, symbol, settings } = readFrames(bytes);
  const root = h("div", { class: `ml-stage ml-scrubber${offline ? " ml-offline ml-projector" : ""}`, "data-testid": "scrubber" });
  parent.append(root);

  let at = 0;
  const { stage, painter, check } = createStillStage(root, paint);
  Object.assign(stage, { scene: frames[at], projector: offline });

  const slider = h("input", {
    type: "range", min: 0, max: frames.length - 1, step: 1, value: 0, class: "ml-scrub", "data-testid": "scrub",
    "aria-label": `${symbol}: position on the path`, oninput: () => go(Number(slider.value)),
  });
  const value = h("output", { class: "ml-scrub-value" });
  const player = createPlayer(() => at, go, frames.length);
  const link = offline || !frames[0].query ? null : h("a", { class: "ml-button", target: "_blank", rel: "noopener" }, "Open the stage here");
  const row = createPanelRow(stage, "ml-scrub-panel", painter.watch);
  const histogram = h("div", { class: "ml-view", "data-testid": "histogram" });
  const cumulative = h("div", { class: "ml-view", "data-testid": "cumulative" });
  const signs = h("div", {});
  const table = createTable();
  if (offline) root.append(h("header", { class: "ml-scrub-head" }, h("h1", {}, document.title), h("p", {}, settings)));
  root.append(
    h("div", { class: "ml-scrub-bar" }, player.element, slider, value, link),
    row.element,
    signs,
    h("div", { class: "ml-scrub-charts" },
      h("section", { "aria-label": "Margins" }, histogram),
      h("section", { "aria-label": "Cumulative margins" }, cumulative)),
    table.element);
  const charts = [createHistogram(histogram, stage), createCumulative(cumulative, stage), createLegend(signs, stage)];
  row.arrange(frames[0].methods);
  const views = [...row.views, ...charts];
  painter.watch(root);

  /** @param {number} next */
  function go(next) {
    at = clamp(next, 0, frames.length - 1);
    stage.scene = frames[at];
    painter.ask();
  }

  /** @param {boolean} resized */
  function paint(resized) {
    const scene = frames[at];
    if (resized) for (const each of views) each.resize();
    for (const each of charts) each.draw(scene);
    for (const view of row.views) view.draw(scene.drawnAs.get(view.key) ?? scene);
    row.tell(scene);
    table.update(scene);
    if (Number(slider.value) !== at) slider.value = String(at);
    const words = `${symbol} = ${scene.value}`;
    setText(value, words);
    setAttribute(slider, "aria-valuetext", `${words}, ${at + 1} of ${frames.length}`);
    if (link) setAttribute(link, "href", `./?${scene.query}`);
    root.dataset.drawn = JSON.stringify(scene.drawn);
  }

  check();
  return {
    resize: painter.askResize,
    destroy() {
      player.stop();
      painter.stop();
      for (const each of views) each.destroy();
      root.remove();
    },
  };
}

/**
 * Returns the scenes. Parts common to all frames are one object, so that views can see that they have not changed.
 * `drawnAs` maps each method to the first scene with the same picture of it. If the parameter belongs to another method,
 * this is one scene for the whole path, and the panel is drawn once.
 * @param {Uint8Array} bytes
 * @returns {Path}
 */
function readFrames(bytes) {
  const { common, frames, arrays, ...header } = decode(bytes);
  /** @type {Map<string, PathFrame>} */
  const first = new Map();
  const scenes = frames.map((/** @type {object} */ frame) => {
    const scene = { ...common, ...frame };
    const names = scene.arrays;
    scene.arrays = Object.fromEntries(Object.entries(names).map(([name, stored]) => [name, arrays[stored]]));
    scene.drawnAs = new Map(scene.panels.map((/** @type {Panel} */ { key }) => {
      const content = [key, "x", "y", "label", `x:${key}`, `y:${key}`, `field:${key}`, `margin:${key}`].map((name) => names[name] ?? name).join();
      if (!first.has(content)) first.set(content, scene);
      return [key, first.get(content)];
    }));
    return scene;
  });
  return { ...header, frames: scenes };
}
