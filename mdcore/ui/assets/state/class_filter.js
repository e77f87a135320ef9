/** What is shown of all examples, or of one class alone where the page has that choice: `view.class` names it. */

import { labelText } from "../shell/format.js";

/**
 * @import { Panel, Scene, Split } from "./scene.js"
 * @import { ViewStage } from "./stage.js"
 */

export const EVERY_CLASS = -1;

/** The number of the class chosen, or EVERY_CLASS. @param {ViewStage} stage */
export function chosenClass(stage) {
  const { byClass, classes } = stage.scene;
  return byClass ? classes.indexOf(stage.value("view.class")) : EVERY_CLASS;
}

/** @param {string} key @param {Split} split @param {number} chosen */
const which = (key, split, chosen) => (chosen < 0 ? `${key}:${split}` : `${key}:${split}:${chosen}`);

/**
 * The margins of one method and part, in ascending order.
 * @param {Scene} scene @param {string} key @param {Split} split @param {number} chosen
 */
export const curveOf = (scene, key, split, chosen) => scene.arrays[`curve:${which(key, split, chosen)}`];

/** How many of them lie in each bin. @param {Scene} scene @param {string} key @param {Split} split @param {number} chosen */
export const countsOf = (scene, key, split, chosen) => scene.arrays[`count:${which(key, split, chosen)}`];

/** Their statistics. @param {Scene} scene @param {Panel} panel @param {Split} split @param {number} chosen */
export const statsOf = (scene, { key, stats }, split, chosen) =>
  (chosen < 0 ? stats[split] : scene.byClass?.[key]?.[split][chosen]) ?? null;

/** Whether example `i` is among those shown. @param {Scene} scene @param {number} i @param {number} chosen */
export const isShown = (scene, i, chosen) => chosen < 0 || scene.arrays.label[i] === chosen;

/** "class 2"; some data call their classes so themselves. @param {string} name */
export const className = (name) => (/^class/i.test(name) ? name : `class ${labelText(name)}`);

/** The name of the class chosen or nothing, for titles and text alternatives. @param {Scene} scene @param {number} chosen */
export const classWords = (scene, chosen) => (chosen < 0 ? "" : className(scene.classes[chosen]));
