/** A chart without interaction, redrawn when its data have changed. */

import { inkText, setFont, wrapText } from "../canvas/axes.js";
import { chosenClass } from "../state/class_filter.js";
import { splitsShown } from "./margin_axis.js";
import { createChangeDetector, createSurface } from "../canvas/surface.js";
import { wordInk } from "../shell/theme.js";
import { spoken } from "../shell/words.js";

/**
 * @typedef {{splits: Split[], chosen: number}} PlainView  the parts and the class shown
 */

/**
 * @template {Scene} PageScene
 * @param {HTMLElement} host
 * @param {ViewStage} stage
 * @param {(surface: Surface, scene: PageScene, theme: Theme, view: PlainView) => string} paint
 *   draws on `surface.base` and returns a text alternative
 */
export function createPlainChart(host, stage, paint) {
  const surface = createSurface(host, stage);
  const changed = createChangeDetector();
  return {
    /** @param {PageScene} scene */
    draw(scene) {
      if (!surface.ready()) return;
      const theme = stage.theme;
      const view = { splits: splitsShown(stage), chosen: chosenClass(stage) };
      if (!changed(scene, theme, surface.type, view.splits.join(), view.chosen)) return;
      surface.base.clearRect(0, 0, surface.width, surface.height);
      surface.describe(spoken(paint(surface, scene, theme, view)));
    },
    resize: () => surface.measure(),
    destroy: () => surface.destroy(),
  };
}

/**
 * Draws the names of the methods on the top line, each in its colour.
 * @param {Surface} surface @param {Panel[]} panels @param {number} left @param {Theme} theme
 * @returns {number} x of the end of the names
 */
export function paintNames({ base: context, type }, panels, left, theme) {
  let x = left;
  setFont(context, type.boldFont, "left", "middle");
  for (const { name, color } of panels) {
    inkText(context, name, x, type.line / 2, wordInk(color, theme));
    x += context.measureText(name).width + type.small;
  }
  return x;
}

/** Writes in the middle of an empty chart why it is empty. @param {Surface} surface @param {string} words @param {Theme} theme */
export function paintMissing({ base: context, type, width, height }, words, theme) {
  setFont(context, type.smallFont, "center", "middle");
  context.fillStyle = theme.muted;
  const lines = wrapText(context, words, width - 2 * type.small);
  lines.forEach((line, i) => context.fillText(line, width / 2, height / 2 + (i - (lines.length - 1) / 2) * type.line));
  return words;
}
