/** The values of the cumulative curves at t, in a box that covers none of them. */

import { inkText, setLine, strokeLine } from "../canvas/axes.js";
import { percent, short } from "../shell/format.js";
import { countUpTo, readingsAt } from "../canvas/steps.js";
import { wordInk } from "../shell/theme.js";
import { clamp } from "../state/track.js";

/**
 * @import { Curve, Reading, Share } from "../canvas/steps.js"
 *
 * @typedef {{left: number, top: number, wide: number, high: number}} Box
 */

/** @type {Split[]} */
const SPLITS = ["train", "test"];
const SAMPLES = 12;
const LARGEST_SHARE = 0.45; // of the frame's width, for the large form
const LARGEST_HEIGHT = 0.95; // of the frame's height

/**
 * Returns how many curve points a box would hide; the threshold line counts more than all of them.
 * @param {Box} box @param {Frame} frame @param {Curve[]} curves @param {number} x
 */
function hidden(box, frame, curves, x) {
  let count = x > box.left - 6 && x < box.left + box.wide + 6 ? SAMPLES * (curves.length + 1) : 0;
  for (let i = 0; i < SAMPLES; i++) {
    const px = box.left + (box.wide * (i + 0.5)) / SAMPLES;
    const t = frame.fromX(px);
    for (const { ordered } of curves) {
      const y = frame.toY(countUpTo(ordered, t) / ordered.length);
      if (y > box.top - 3 && y < box.top + box.high + 3) count++;
    }
  }
  return count;
}

/** @param {Share | undefined} found @param {boolean} unit */
function shareText(found, unit) {
  const share = found ? percent(found.count / found.of) : "–";
  return unit ? share : share.replace(" %", "");
}

/**
 * Returns the texts of the box. If space is short, only the flag on the line shows t, and the unit appears once.
 * @param {Pen} context @param {Frame} frame @param {Reading[]} lines @param {Split[]} splits @param {number} t
 * @param {Type} type
 */
function formFor(context, frame, lines, splits, t, type) {
  const gap = type.small * 0.7;
  context.font = type.boldFont;
  const names = Math.max(...lines.map(({ name }) => context.measureText(name).width));
  /** @param {string} title @param {boolean} unit @param {number} heads */
  const form = (title, unit, heads) => {
    const texts = lines.flatMap((line) => splits.map((split) => shareText(line[split], unit)));
    const cell = Math.max(...["train", unit ? "00.0 %" : "00.0", ...texts].map((text) => context.measureText(text).width)) + gap;
    const first = context.measureText(title).width;
    const table = Math.max(names, heads === 1 ? first : 0) + splits.length * cell;
    const wide = Math.ceil(Math.max(table, first) + 2 * gap);
    return { title, unit, heads, gap, cell, wide, high: (lines.length + heads) * type.line + gap };
  };
  const roomy = form(`P(margin ≤ ${short(t, 4)})`, true, 2);
  const fits = roomy.wide <= LARGEST_SHARE * frame.width && roomy.high <= LARGEST_HEIGHT * frame.height;
  return fits ? roomy : form("P in %", false, 1);
}

export function createReadout() {
  let kept = 0;

  /** @param {Frame} frame @param {Curve[]} curves @param {number} x @param {number} wide @param {number} high */
  function placeOf(frame, curves, x, wide, high) {
    const low = frame.bottom - high - 4;
    /** @param {number} left */
    const within = (left) => clamp(left, frame.left + 2, frame.right - wide - 2);
    const boxes = [
      [within(x - wide - 10), frame.top + 4],
      [within(x + 10), low],
      [frame.left + 4, frame.top + 4],
      [frame.right - wide - 4, low],
      [within(x + 10), frame.top + 4],
    ].map(([left, top]) => ({ left, top: Math.max(frame.top, top), wide, high }));
    const costs = boxes.map((box) => hidden(box, frame, curves, x));
    const best = costs.indexOf(Math.min(...costs));
    if (costs[kept] > 0) kept = best;
    return costs[kept] > 0 ? null : boxes[kept];
  }

  /**
   * @param {Pen} context @param {Split[]} splits @param {(i: number) => number} columnEnd @param {number} y
   * @param {Type} type @param {Theme} theme
   */
  function paintHead(context, splits, columnEnd, y, type, theme) {
    context.textAlign = "right";
    splits.forEach((split, i) => {
      const end = columnEnd(i);
      inkText(context, split, end, y, theme.text);
      context.setLineDash(split === "test" ? [4, 2] : []);
      setLine(context, 2, theme.muted);
      strokeLine(context, end - context.measureText(split).width, y + type.line / 2 - 1, end, y + type.line / 2 - 1);
    });
    context.setLineDash([]);
  }

  return {
    /**
     * @param {Pen} context @param {Frame} frame @param {Curve[]} curves @param {number} t @param {Type} type
     * @param {Theme} theme
     */
    paint(context, frame, curves, t, type, theme) {
      const lines = readingsAt(curves, t);
      if (!lines.length) return;
      const splits = SPLITS.filter((split) => lines.some((line) => line[split]));
      const { title, unit, gap, cell, wide, high, heads } = formFor(context, frame, lines, splits, t, type);
      if (high > LARGEST_HEIGHT * frame.height) return;
      const place = placeOf(frame, curves, frame.toX(t), wide, high);
      if (!place) return; // it would hide a curve; the table has the same numbers
      const { left, top } = place;
      /** @param {number} k */
      const lineAt = (k) => top + gap / 2 + (k + 0.5) * type.line;
      /** @param {number} i */
      const columnEnd = (i) => left + wide - gap - (splits.length - 1 - i) * cell;
      context.fillStyle = theme.panel;
      setLine(context, 1, theme.rule);
      context.beginPath();
      context.roundRect(left, top, wide, high, 4);
      context.fill();
      context.stroke();
      context.textBaseline = "middle";
      context.textAlign = "left";
      inkText(context, title, left + gap, lineAt(0), theme.text);
      context.font = type.smallFont;
      paintHead(context, splits, columnEnd, lineAt(heads - 1), type, theme);
      context.font = type.boldFont;
      lines.forEach((line, k) => {
        context.fillStyle = wordInk(line.color, theme);
        context.textAlign = "left";
        context.fillText(line.name, left + gap, lineAt(k + heads));
        context.textAlign = "right";
        splits.forEach((split, i) => {
          context.fillText(shareText(line[split], unit), columnEnd(i), lineAt(k + heads));
        });
      });
    },
  };
}
