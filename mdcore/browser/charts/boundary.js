/**
 * The picture of the plane for one method: field, contours, examples, pins.
 *
 * @typedef {ReturnType<typeof createBoundary>} BoundaryView
 */

import { clipTo, drawGrid, inkText, setFont, setLine, strokeDashed } from "../canvas/axes.js";
import { drawPanelAxes, layOutPanel } from "./boundary_layout.js";
import { borderPath, contourPath } from "../canvas/contours.js";
import { attachEditing } from "./editing.js";
import { pendingEdits } from "../state/edits.js";
import { createFieldPicture, createRegionPicture } from "../canvas/field.js";
import { paintGhosts, traceGhosts } from "../canvas/ghosts.js";
import { drawNotice, wholeOf } from "../shell/notice.js";
import { footOf, paintReach } from "../canvas/reach.js";
import { createPoints } from "../canvas/points.js";
import { createPanelMemo } from "../state/panel_memo.js";
import { paintStream } from "./stream_marks.js";
import { createChangeDetector, createSurface } from "../canvas/surface.js";
import { boundarySummary, exampleWords, turnedWords } from "../shell/words.js";
import { clamp } from "../state/track.js";

/**
 * @import { Ghost } from "../canvas/ghosts.js"
 * @import { PanelLayout } from "./boundary_layout.js"
 */

/**
 * @param {HTMLElement} host
 * @param {string} key of the method
 * @param {ViewStage} stage
 */
export function createBoundary(host, stage, key) {
  const surface = createSurface(host, stage);
  const picture = createFieldPicture();
  const regions = createRegionPicture();
  const points = createPoints();
  const baseChanged = createChangeDetector();
  const layoutChanged = createChangeDetector();
  const contoursChanged = createChangeDetector();
  const sceneFor = createPanelMemo(key);
  /** @type {PanelLayout | null} */
  let layout = null;
  const layoutNow = () => /** @type {PanelLayout} */ (layout); // set before anything is painted
  /** @type {{main: boolean, path: Path2D}[]} */
  let contours = [];
  /** @type {Ghost[]} */
  let ghosts = [];
  let size = 0;
  let overlaid = false;

  /** @param {Scene} scene */
  const panelOf = (scene) => scene?.panels.find((panel) => panel.key === key);

  const view = {
    key,
    surface,
    points,
    get frame() {
      return layout?.frame ?? null;
    },
    /** @param {Scene} scene @param {number} at */
    wordsFor: (scene, at) => {
      const panel = panelOf(scene);
      return panel ? exampleWords(scene, panel, at) : [];
    },
    get radius() {
      return size;
    },
    /** Redraws only this panel, between two scenes. */
    repaint: () => stage.scene && view.draw(stage.scene),
    draw,
    resize,
    destroy() {
      editing.destroy();
      surface.destroy();
    },
  };

  /** @param {Frame} frame @param {number} count */
  function radiusFor(frame, count) {
    const larger = surface.type.projector ? 1.2 : 1;
    const room = 0.22 * Math.sqrt(Math.min(frame.width, frame.height)) * larger;
    const many = count > 3000; // from here on usual sizes would cover the field; even more are drawn by density
    const crowd = clamp(Math.sqrt(400 / Math.max(1, count)), many ? 0.3 : 0.6, 1);
    return clamp(room * crowd, many ? 1 : 2, 6 * larger);
  }

  /** @param {Scene} scene @param {Panel} panel */
  function contoursOf(scene, panel) {
    const { frame } = layoutNow();
    const field = scene.arrays[`field:${key}`];
    const region = scene.arrays[`region:${key}`];
    if (panel.status === "failed") return [];
    if (region) return [{ main: true, path: borderPath(region, scene.arrays[`certainty:${key}`], panel.grid, scene.classes.length, frame) }];
    return !field ? [] : panel.levels.map((level) => ({
      main: level === 0,
      path: contourPath(field, panel.grid, level * panel.fieldScale, frame),
    }));
  }

  /** @param {Scene} scene @param {Panel} panel */
  function trace(scene, panel) {
    if (!contoursChanged(sceneFor(scene), layout)) return;
    contours = contoursOf(scene, panel);
    ghosts = traceGhosts(scene, key, layoutNow().frame);
  }

  /** @param {Pen} context @param {Theme} theme */
  function paintContours(context, theme) {
    const thick = surface.type.projector ? 3.2 : 2.4;
    for (const { main, path } of contours) {
      context.setLineDash(main ? [] : [4, 4]);
      setLine(context, main ? thick : thick * 0.55, theme.text);
      context.stroke(path);
    }
    context.setLineDash([]);
  }

  /** @param {Scene} scene @param {Panel} panel @param {Theme} theme */
  function paintBase(scene, panel, theme) {
    const { base: context } = surface;
    const { frame } = layoutNow();
    const field = scene.arrays[`field:${key}`];
    const region = scene.arrays[`region:${key}`];
    context.clearRect(0, 0, surface.width, surface.height);
    clipTo(context, frame);
    if (panel.status !== "failed" && field) {
      const outer = Math.max(...panel.levels.map(Math.abs)) || 1;
      picture.draw(context, frame, field, panel.grid, panel.fieldScale * outer, theme);
    } else if (panel.status !== "failed" && region) {
      regions.draw(context, frame, region, scene.arrays[`certainty:${key}`], panel.grid, scene.classes.length, theme);
    } else {
      drawGrid(context, frame, layoutNow().stepX, layoutNow().stepY, theme);
    }
    paintContours(context, theme);
    if (panel.status === "failed") context.globalAlpha = 0.35;
    points.draw(context, size, theme, String(stage.value("view.sv") ?? "") === "1");
    context.globalAlpha = 1;
    const marks = scene.stream?.[key];
    if (marks) paintStream(context, marks, { frame, points, size, color: panel.color, type: surface.type, theme });
    paintGhosts(context, ghosts, frame, panel.color, surface.type, theme);
    context.restore();
    drawPanelAxes(context, surface, layoutNow(), theme);
    if (panel.status === "failed") drawNotice(context, panel.message, wholeOf(surface), surface.type, theme);
  }

  /** @param {Scene} scene @param {Theme} theme */
  function paintOverlay(scene, theme) {
    const { overlay: context, type } = surface;
    const { frame } = layoutNow();
    const { rows, hover } = stage.selection;
    const before = overlaid;
    overlaid = rows.size > 0 || hover !== null || Boolean(scene.probe) || editing.visible;
    if (!before && !overlaid) return; // touching a canvas costs a copy of its pixels
    context.clearRect(0, 0, surface.width, surface.height);
    clipTo(context, frame);
    if (rows.size) {
      context.fillStyle = theme.veil;
      context.fillRect(frame.left, frame.top, frame.width, frame.height);
      points.emphasise(context, rows, size, theme);
      paintContours(context, theme);
    }
    if (hover !== null) paintHoverReach(context, scene, hover, theme, type);
    if (hover !== null) points.emphasise(context, [hover], size * 1.25, theme);
    paintProbe(context, scene, theme, type);
    editing.paint(context, theme);
    context.restore();
  }

  /** @param {Pen} context @param {Scene} scene @param {number} row @param {Theme} theme @param {Type} type */
  function paintHoverReach(context, scene, row, theme, type) {
    const at = points.indexOf(row);
    if (!points.isShown(at)) return;
    const place = { x: points.xAt(at), y: points.yAt(at) };
    const panel = panelOf(scene);
    const foot = panel && footOf(scene, panel, layoutNow().frame, at, place);
    if (foot) paintReach(context, place, foot, theme, type.projector);
  }

  /** @param {Pen} context @param {Scene} scene @param {Theme} theme @param {Type} type */
  function paintProbe(context, scene, theme, type) {
    const turned = scene.probe?.turned[key];
    if (!scene.probe || turned === undefined || turned === null) return;
    const at = points.indexOf(scene.probe.row);
    if (points.isShown(at)) {
      context.beginPath();
      context.arc(points.xAt(at), points.yAt(at), size * 2.4, 0, 2 * Math.PI);
      setLine(context, 2, theme.text);
      strokeDashed(context, [3, 3]);
    }
    setFont(context, type.boldFont, "left", "top");
    const { frame } = layoutNow();
    const full = turnedWords(turned);
    const short = full.replace(" of the picture", "");
    const text = context.measureText(full).width + 16 <= frame.width ? full : short;
    context.fillStyle = theme.panel;
    context.fillRect(frame.left, frame.top, Math.min(frame.width, context.measureText(text).width + 12), type.line + 6);
    inkText(context, text, frame.left + 6, frame.top + 4, theme.text);
  }

  /** @param {Scene} scene */
  function draw(scene) {
    const panel = panelOf(scene);
    if (!panel || !surface.ready()) return;
    const theme = stage.theme;
    const split = stage.value("view.split") || "both";
    const edits = stage.value("edits");
    const fresh = baseChanged(sceneFor(scene), theme, surface.type, split, edits, stage.value("view.sv"));
    if (layoutChanged(JSON.stringify([scene.plane, panel.window]), surface.type)) layout = layOutPanel(surface, scene, panel);
    if (!layout) {
      drawWithoutFrame(scene, panel, theme);
      return;
    }
    if (fresh) {
      const pending = scene.canEdit ? pendingEdits(edits, scene.edits) : null;
      points.place(scene, key, layout.frame, split, pending);
      size = radiusFor(layout.frame, points.count);
      trace(scene, panel);
      paintBase(scene, panel, theme);
      surface.describe(boundarySummary(scene, panel));
    }
    editing.follow(scene);
    paintOverlay(scene, theme);
  }

  /**
   * Paints a message for a method without a result, if the window depends on the result.
   * @param {Scene} scene @param {Panel} panel @param {Theme} theme
   */
  function drawWithoutFrame(scene, panel, theme) {
    surface.base.clearRect(0, 0, surface.width, surface.height);
    surface.overlay.clearRect(0, 0, surface.width, surface.height);
    surface.describe(boundarySummary(scene, panel));
    drawNotice(surface.base, panel.message, wholeOf(surface), surface.type, theme);
  }

  function resize() {
    surface.measure();
  }

  const editing = attachEditing(view, stage);
  return view;
}
