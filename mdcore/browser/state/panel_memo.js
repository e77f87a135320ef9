/** Finds panels that a change has not affected, such as those of other methods, so that they are not repainted. */

/**
 * @param {string} key
 * @returns {(scene: Scene) => Scene} the scene, or an earlier one in which the panel of this method looks the same
 */
export function createPanelMemo(key) {
  /** @type {Scene | null} */
  let shown = null;
  return (scene) => {
    if (shown !== scene && !(shown && samePanel(shown, scene, key))) shown = scene;
    return shown;
  };
}

/** @param {Scene} before @param {Scene} now @param {string} key */
function samePanel(before, now, key) {
  return sameHeader(before, now, key) && sameArrays(before.arrays, now.arrays, key);
}

/** @param {Scene} before @param {Scene} now @param {string} key */
function sameHeader(before, now, key) {
  return JSON.stringify(headerOf(before, key)) === JSON.stringify(headerOf(now, key));
}

/** @param {Scene} scene @param {string} key */
function headerOf(scene, key) {
  const { plane, classes, canEdit, probe, pins, panels, stream, edits } = scene;
  const own = panels.find((panel) => panel.key === key);
  return [own, plane, classes, canEdit, probe, pins?.map((pin) => pin.query), stream?.[key], edits];
}

/** @param {SceneArrays} before @param {SceneArrays} now @param {string} key */
function sameArrays(before, now, key) {
  const names = Object.keys(now).filter((name) => !name.includes(":") || name.endsWith(`:${key}`));
  const [old, current] = /** @type {{[name: string]: ArrayLike<number>}[]} */ ([before, now]);
  return names.every((name) => sameValues(old[name], current[name]));
}

/** @param {ArrayLike<number> | undefined} before @param {ArrayLike<number>} now */
function sameValues(before, now) {
  if (before?.length !== now.length) return false;
  for (let i = 0; i < now.length; i++) if (before[i] !== now[i]) return false;
  return true;
}
