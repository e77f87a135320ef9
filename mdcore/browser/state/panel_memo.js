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
const samePanel = (before, now, key) => JSON.stringify(headerOf(before, key)) === JSON.stringify(headerOf(now, key));

/** Returns all that a panel shows; `content` stands for its arrays. @param {Scene} scene @param {string} key */
function headerOf({ content, plane, classes, canEdit, probe, pins, panels, stream, edits }, key) {
  const own = panels.find((panel) => panel.key === key);
  return [own, content, plane, classes, canEdit, probe, pins?.map((pin) => pin.query), stream?.[key], edits];
}
