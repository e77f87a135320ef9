/** What the glyphs of the boundary panels mean, in one line of text. */

import { addGlyph, inkGlyphs } from "./points.js";
import { createChangeDetector } from "./surface.js";
import { themeOf } from "./theme.js";

const SIDE = 18;
const RADIUS = 5;

function entry(words, paint) {
  const item = document.createElement("span");
  const canvas = document.createElement("canvas");
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  canvas.width = canvas.height = SIDE * ratio;
  canvas.setAttribute("aria-hidden", "true");
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  paint(context);
  item.append(canvas, words);
  return item;
}

function glyph(context, label, test, theme) {
  context.beginPath();
  addGlyph(context, label, SIDE / 2, SIDE / 2, RADIUS);
  inkGlyphs(context, label, test, RADIUS, theme);
}

/** @param {HTMLElement} host a line of text; its height is the text's */
export function createLegend(host, stage) {
  const root = document.createElement("div");
  root.className = "ml-legend";
  host.append(root);
  const changed = createChangeDetector();

  function cross(context, theme) {
    context.beginPath();
    for (const [from, to] of [[3, 15], [15, 3]]) {
      context.moveTo(3, from);
      context.lineTo(15, to);
    }
    context.lineWidth = 2.5;
    context.strokeStyle = theme.text;
    context.stroke();
    glyph(context, 0, false, theme);
  }

  function ring(context, theme) {
    glyph(context, 0, false, theme);
    context.beginPath();
    context.arc(SIDE / 2, SIDE / 2, RADIUS + 2.5, 0, 2 * Math.PI);
    context.lineWidth = 1.5;
    context.strokeStyle = theme.text;
    context.stroke();
  }

  return {
    draw(scene) {
      const theme = themeOf(stage);
      const rings = String(stage.value("view.sv") ?? "") === "1";
      const labels = new Set(scene.panels.map(({ badge }) => badge?.supportLabel).filter(Boolean));
      const support = [...labels].join(" / ");
      if (!changed(theme, rings, support, scene.split.test > 0, ...scene.classes)) return;
      const [negative, positive] = scene.classes;
      const entries = [
        entry(`class ${negative}`, (context) => glyph(context, 0, false, theme)),
        entry(`class ${positive}`, (context) => glyph(context, 1, false, theme)),
      ];
      if (scene.split.test > 0) entries.push(entry("hollow: test", (context) => glyph(context, 0, true, theme)));
      entries.push(entry("error", (context) => cross(context, theme)));
      if (rings && support) entries.push(entry(support, (context) => ring(context, theme)));
      root.replaceChildren(...entries);
    },
    resize() {},
    destroy() {
      root.remove();
    },
  };
}
