/** The stage as its views see it where nothing is computed: it shows scenes that are there, and keeps settings of the view. */

import { createAnnouncer } from "./a11y.js";
import { watchAppearance } from "./appearance.js";
import { createThemes } from "./theme.js";
import { createPainter } from "../canvas/painter.js";
import { createSelection } from "../state/selection.js";

/**
 * @param {HTMLElement} root
 * @param {(resized: boolean) => void} paint
 * @param {(patch: Patch) => void} [changed]  called when a view has changed a setting
 */
export function createStillStage(root, paint, changed = () => {}) {
  /** @type {ReturnType<typeof createThemes> | null} */
  let themes = null;
  const painter = createPainter(paint);
  const appearance = watchAppearance(root, painter.askResize);
  const settings = new Map();

  /** @param {Patch} patch */
  function set(patch) {
    for (const [key, value] of Object.entries(patch)) settings.set(key, value);
    painter.ask();
  }

  /** @type {ViewStage & {scene: Scene & {classMarks: ClassMark[]}}} */
  const stage = {
    scene: /** @type {any} */ (null),
    get theme() {
      themes ??= createThemes(stage.scene.classMarks);
      return appearance.dark ? themes.dark : themes.light;
    },
    projector: false,
    tool: "point",
    ...createSelection(painter),
    announce: createAnnouncer(root),
    touch() {},
    abandon() {},
    /** @param {string} key */
    value: (key) => settings.get(key) ?? stage.scene?.values[key] ?? null,
    change(patch) {
      set(patch);
      changed(patch);
    },
  };
  return { stage, painter, set, check: appearance.check };
}
