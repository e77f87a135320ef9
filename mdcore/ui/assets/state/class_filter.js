/** What is shown of all examples, or of one class alone where the page has that choice: `view.class` names it. */

export const EVERY_CLASS = -1;

/** The number of the class chosen, or EVERY_CLASS. */
export function chosenClass(stage) {
  const { byClass, classes } = stage.scene;
  return byClass ? classes.indexOf(stage.value("view.class")) : EVERY_CLASS;
}

const named = (kind, key, split, chosen) => (chosen < 0 ? `${kind}:${key}:${split}` : `${kind}:${key}:${split}:${chosen}`);

/** The margins of one method and part, in ascending order. */
export const curveOf = (scene, key, split, chosen) => scene.arrays[named("curve", key, split, chosen)];

/** How many of them lie in each bin. */
export const countsOf = (scene, key, split, chosen) => scene.arrays[named("count", key, split, chosen)];

/** Their statistics. */
export const statsOf = (scene, { key, stats }, split, chosen) =>
  (chosen < 0 ? stats[split] : scene.byClass[key]?.[split][chosen]) ?? null;

/** Whether example `i` is among those shown. */
export const isShown = (scene, i, chosen) => chosen < 0 || scene.arrays.label[i] === chosen;

/** "class 2"; some data call their classes so themselves. */
export const className = (name) => (/^class/i.test(name) ? name : `class ${name.replace(/^-(?=\d)/, "−")}`);

/** The name of the class chosen or nothing, for titles and text alternatives. */
export const classWords = (scene, chosen) => (chosen < 0 ? "" : className(scene.classes[chosen]));
