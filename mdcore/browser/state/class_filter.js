/** Data of all examples, or of the class in `view.class` on pages with that choice. */

import { labelText } from "../shell/format.js";

export const EVERY_CLASS = -1;

/** Returns the number of the chosen class, or EVERY_CLASS. @param {ViewStage} stage */
export function chosenClass(stage) {
  const { byClass, classes } = stage.scene;
  return byClass ? classes.indexOf(stage.value("view.class")) : EVERY_CLASS;
}

/** @param {string} key @param {Split} split @param {number} chosen */
const which = (key, split, chosen) => (chosen < 0 ? `${key}:${split}` : `${key}:${split}:${chosen}`);

/**
 * Returns the margins of one method and part in ascending order.
 * @param {Scene} scene @param {string} key @param {Split} split @param {number} chosen
 */
export const curveOf = (scene, key, split, chosen) => scene.arrays[`curve:${which(key, split, chosen)}`];

/** Returns the histogram counts of these margins. @param {Scene} scene @param {string} key @param {Split} split @param {number} chosen */
export const countsOf = (scene, key, split, chosen) => scene.arrays[`count:${which(key, split, chosen)}`];

/** Returns the statistics of these margins. @param {Scene} scene @param {Panel} panel @param {Split} split @param {number} chosen */
export const statsOf = (scene, { key, stats }, split, chosen) =>
  (chosen < 0 ? stats[split] : scene.byClass?.[key]?.[split][chosen]) ?? null;

/** Returns whether example `i` is shown. @param {Scene} scene @param {number} i @param {number} chosen */
export const isShown = (scene, i, chosen) => chosen < 0 || scene.arrays.label[i] === chosen;

/** Returns "class 2" for "2"; names that start with "class" are unchanged. @param {string} name */
export const className = (name) => (/^class/i.test(name) ? name : `class ${labelText(name)}`);

/** Returns the name of the chosen class or "", for titles and text alternatives. @param {Scene} scene @param {number} chosen */
export const classWords = (scene, chosen) => (chosen < 0 ? "" : className(scene.classes[chosen]));
