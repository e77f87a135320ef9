/** Brushing of a range of margins on the histogram, with the pointer or the keyboard. */

import { short } from "../shell/format.js";
import { listen } from "../shell/dom.js";
import { splitsShown } from "./margin_axis.js";
import { chosenClass, countsOf, isShown } from "../state/class_filter.js";
import { clamp } from "../state/track.js";

/**
 * @import { HistogramRow, HistogramView } from "./histogram.js"
 */

const CLICK_SLACK = 4;
/** @type {{[key: string]: number}} */
const ACROSS = { ArrowLeft: -1, ArrowRight: 1 };
/** @type {{[key: string]: number}} */
const ALONG = { ArrowUp: -1, ArrowDown: 1 };

/**
 * @param {HistogramView} view
 * @param {ViewStage} stage
 */
export function attachRangeBrush(view, stage) {
  const { surface } = view;
  const { cover } = surface;
  /** @type {{row: HistogramRow, panel: Panel, from: number, to: number, wide: boolean} | null} */
  let brush = null;
  /** The bins of one method that are chosen with the keyboard. @type {{method: number, from: number, to: number} | null} */
  let cursor = null;

  cover.tabIndex = 0;
  cover.removeAttribute("aria-hidden");
  cover.setAttribute("role", "application");
  cover.setAttribute(
    "aria-label",
    "Margin histogram: left and right arrows move over the bins, Shift widens the range, up and down change the method, " +
      "Enter selects the examples in the range, Escape clears",
  );

  /** @param {number} y */
  const rowAt = (y) => view.rows.find(({ frame }) => y <= frame.bottom) ?? view.rows[view.rows.length - 1];

  /**
   * Returns the method whose outline is nearest to the pointer, if two methods share a picture.
   * @param {HistogramRow} row @param {Point} place
   */
  function panelAt({ panels, frame }, { x, y }) {
    if (panels.length === 1) return panels[0];
    const { histogram } = stage.scene;
    const bin = binAt(frame.fromX(x));
    let best = panels[0];
    let least = Infinity;
    for (const panel of panels) {
      for (const split of splitsShown(stage)) {
        const count = countsOf(stage.scene, panel.key, split, chosenClass(stage))?.[clamp(bin, 0, histogram.edges.length - 2)];
        const distance = count ? Math.abs(frame.toY(count) - y) : Infinity;
        if (distance < least) {
          least = distance;
          best = panel;
        }
      }
    }
    return best;
  }

  /** @param {number} value */
  function binAt(value) {
    const { edges } = stage.scene.histogram;
    let bin = 0;
    while (bin < edges.length - 2 && value >= edges[bin + 1]) bin++;
    return bin;
  }

  /** @param {string} key @param {number} low @param {number} high */
  function rowsBetween(key, low, high) {
    const { arrays } = stage.scene;
    const margins = arrays[`margin:${key}`] ?? [];
    const splits = splitsShown(stage);
    const rows = new Set();
    const chosen = chosenClass(stage);
    for (let i = 0; i < margins.length; i++) {
      if (isShown(stage.scene, i, chosen) && margins[i] >= low && margins[i] <= high && splits.includes(arrays.part[i] ? "test" : "train")) rows.add(arrays.row[i]);
    }
    return rows;
  }

  /** @param {number} low @param {number} high */
  const rangeWords = (low, high) => `margin ${short(low)} to ${short(high)}`;

  /** @param {Panel} panel @param {number} low @param {number} high */
  function select(panel, low, high) {
    const rows = rowsBetween(panel.key, low, high);
    stage.select(rows);
    return [`${panel.name}, ${rangeWords(low, high)}`, `${rows.size} examples selected`];
  }

  /** @param {{panels: Panel[]}} row @param {number} bin */
  function binWords(row, bin) {
    const { histogram } = stage.scene;
    return row.panels.map(({ key, name }) => {
      const counts = splitsShown(stage).map((split) => `${split} ${countsOf(stage.scene, key, split, chosenClass(stage))?.[bin] ?? 0}`);
      return `${name}: ${counts.join(", ")}`;
    }).concat(rangeWords(histogram.edges[bin], histogram.edges[bin + 1])).reverse();
  }

  /** @param {HistogramRow} row @param {number} from @param {number} to */
  function limits({ frame }, from, to) {
    /** @param {number} x */
    const within = (x) => clamp(x, frame.left, frame.right);
    return [frame.fromX(within(Math.min(from, to))), frame.fromX(within(Math.max(from, to)))];
  }

  const listeners = {
    /** @param {PointerEvent} event */
    pointerdown(event) {
      if (event.button !== 0 || !view.rows.length) return;
      const place = surface.at(event);
      cursor = null;
      const row = rowAt(place.y);
      brush = { row, panel: panelAt(row, place), from: place.x, to: place.x, wide: false };
      cover.setPointerCapture(event.pointerId);
    },
    /** @param {PointerEvent} event */
    pointermove(event) {
      if (!view.rows.length) return;
      const place = surface.at(event);
      if (brush) {
        brush.to = place.x;
        brush.wide ||= Math.abs(brush.to - brush.from) > CLICK_SLACK;
        if (brush.wide) {
          const [low, high] = limits(brush.row, brush.from, brush.to);
          surface.showTip(select(brush.panel, low, high), place.x, place.y);
        }
        view.repaint();
        return;
      }
      const row = rowAt(place.y);
      if (!row.frame.holds(place.x, Math.max(row.frame.top, place.y))) {
        surface.hideTip();
        return;
      }
      const hint = `drag: select examples by the margins of ${panelAt(row, place).name}`;
      surface.showTip([...binWords(row, binAt(row.frame.fromX(place.x))), hint], place.x, place.y);
    },
    pointerup() {
      if (!brush) return;
      if (brush.wide) stage.announce(`${stage.selection.rows.size} examples selected.`);
      else stage.select(new Set());
      brush = null;
      view.repaint();
    },
    pointercancel() {
      brush = null;
      view.repaint();
    },
    pointerleave() {
      if (!brush) surface.hideTip();
    },
    blur() {
      cursor = null;
      surface.hideTip();
      view.repaint();
    },
    /** @param {KeyboardEvent} event */
    keydown(event) {
      if (!view.rows.length || event.ctrlKey || event.metaKey || event.altKey) return;
      const bins = stage.scene.histogram.edges.length - 1;
      const { panels } = stage.scene;
      const known = panels.filter(({ key }) => stage.scene.arrays[`margin:${key}`]);
      const at = cursor ?? { method: 0, from: binAt(0), to: binAt(0) };
      cursor = at;
      const across = ACROSS[event.key];
      const along = ALONG[event.key];
      if (across) {
        at.to = clamp(at.to + across, 0, bins - 1);
        if (!event.shiftKey) at.from = at.to;
      } else if (along) at.method = clamp(at.method + along, 0, known.length - 1);
      else if (event.key === "Enter" || event.key === " ") {
        const [low, high] = cursorLimits(at);
        stage.announce(select(known[at.method], low, high).join(", "));
      } else if (event.key === "Escape") {
        cursor = null;
        stage.select(new Set());
      } else return;
      event.preventDefault();
      event.stopPropagation();
      if (across || along) {
        const panel = known[at.method];
        stage.announce(binWords({ panels: [panel] }, at.to).join(", "));
      }
      view.repaint();
    },
  };

  /** @param {{from: number, to: number}} bins */
  function cursorLimits({ from, to }) {
    const { edges } = stage.scene.histogram;
    return [edges[Math.min(from, to)], edges[Math.max(from, to) + 1]];
  }

  const unlisten = listen(cover, listeners);

  /** @param {Pen} context @param {Frame} frame @param {number} from @param {number} to @param {Theme} theme */
  function paintRange(context, frame, from, to, theme) {
    context.globalAlpha = 0.14;
    context.fillStyle = theme.accent;
    context.fillRect(from, frame.top, to - from, frame.height);
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    context.strokeStyle = theme.accent;
    context.strokeRect(from, frame.top, to - from, frame.height);
  }

  return {
    /** Whether `paint` has anything to draw. */
    get visible() {
      return Boolean(brush?.wide) || cursor !== null;
    },
    /** @param {Pen} context @param {Theme} theme */
    paint(context, theme) {
      if (brush?.wide) {
        const { frame } = brush.row;
        const [low, high] = limits(brush.row, brush.from, brush.to);
        paintRange(context, frame, frame.toX(low), frame.toX(high), theme);
      } else if (cursor && view.rows.length) {
        const { frame } = view.rows[Math.min(cursor.method, view.rows.length - 1)];
        const [low, high] = cursorLimits(cursor);
        paintRange(context, frame, frame.toX(low), frame.toX(high), theme);
      }
    },
    destroy: unlisten,
  };
}
