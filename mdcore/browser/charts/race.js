/** The margin of every learner so far, against the examples seen or the updates made. */

import { createRadioGroup } from "../shell/a11y.js";
import { OVERHANG, clipTo, createFrame, drawYAxis, haloText, inkText, niceStep, setFont, setLine, strokeLine, widestTick } from "../canvas/axes.js";
import { h } from "../shell/dom.js";
import { short } from "../shell/format.js";
import { createTextNote } from "../shell/help.js";
import { drawNotice, wholeOf } from "../shell/notice.js";
import { createHorizontalDrag } from "../shell/horizontal_drag.js";
import { createChangeDetector, createSurface } from "../canvas/surface.js";
import { lineInk, wordInk } from "../shell/theme.js";
import { spoken } from "../shell/words.js";

/**
 * @typedef {"step" | "updates"} By
 */

const BELOW_ZERO = 0.55; // the range shown below zero, as a share of the largest margin
const ABOVE = 1.16;
const SELDOM = 0.1; // the share of lowest margins that may be left out if there is no largest margin
/** @param {number} count */
const place = (count) => Math.log2(1 + count);

const NONE = new Float32Array();
const NOBODY = "No online learner of two classes is shown. Switch one on above, or keep two of the classes.";
const HELP = [
  "Each curve is the smallest margin of all training examples for the current hyperplane of a learner; it is negative while there are errors. With a soft margin it is measured in the space with its extra features, in which the classes can always be separated. Faint: the part still to come.",
  "The line at the top is the largest margin of any hyperplane in the norm of the learner. It is shown if it is certified: from above by the distance between the convex hulls of the classes, from below by a hyperplane.",
  "The dotted line is the share 1 − δ of it that a learner reaches in the end. Press or drag in the chart to go to that time.",
];

/**
 * @param {HTMLElement} host
 * @param {ViewStage} stage
 */
export function createRace(host, stage) {
  const surface = createSurface(host, stage);
  const changed = createChangeDetector();
  const axis = createRadioGroup("Race against", [
    { value: "step", label: "Against the examples seen", content: "examples" },
    { value: "updates", label: "Against the updates", content: "updates" },
  ], (value) => stage.change({ "view.race": value === "step" ? null : value }, { commit: true }));
  const tools = h("span", { class: "ml-group" }, axis.element, createTextNote("Margin so far", HELP));
  /** The frame of the curves, or null if there is no room for it. @type {Frame | null} */
  let shown = null;

  const byOf = () => (stage.value("view.race") === "updates" ? "updates" : "step");

  /** Returns the distinct largest margins, each with its learners. @param {Learner[]} race */
  function limitsOf(race) {
    /** @type {Map<number, Learner[]>} */
    const limits = new Map();
    for (const learner of race) {
      if (learner.limit === null) continue;
      limits.set(learner.limit, [...(limits.get(learner.limit) ?? []), learner]);
    }
    return limits;
  }

  /**
   * Returns the range of y: up to the largest margin, with `head` of the height above it for its name; without a largest
   * margin, the range in which the learners are most of the time.
   * @param {Learner[]} race @param {SceneArrays} arrays @param {number} head
   */
  function rangeOf(race, arrays, head) {
    const known = race.flatMap(({ limit }) => (limit === null ? [] : [limit]));
    const now = race.map(({ margin }) => margin);
    if (known.length) {
      const largest = Math.max(...known);
      const low = -BELOW_ZERO * largest;
      return { low, high: Math.max(low + (largest - low) / (1 - head), ABOVE * Math.max(largest, ...now)) };
    }
    const all = race.flatMap(({ key }) => [...(arrays[`race:${key}:margin`] ?? [])]).sort((a, b) => a - b);
    const low = Math.min(all[Math.floor(SELDOM * all.length)], ...now, -1e-9);
    return { low: ABOVE * low, high: Math.max(ABOVE * all[all.length - 1], -0.2 * low) };
  }

  /** @param {RaceScene} scene @param {By} by */
  function layOut(scene, by) {
    const { type, base, width, height } = surface;
    base.font = type.smallFont;
    const { arrays, race } = scene;
    const high = height - 2 * type.line - 10;
    const y = rangeOf(race, arrays, Math.min(0.5, type.line / high));
    const most = by === "step" ? scene.clock?.end ?? 0 : Math.max(...race.map(({ key }) => arrays[`race:${key}:updates`]?.at(-1) ?? 0));
    const step = niceStep(y.high - y.low, Math.max(2, height / (2.6 * type.line)));
    const before = Math.ceil(widestTick(base, y.low, y.high, step)) + 8;
    const wide = width - before - OVERHANG;
    shown = wide < 30 || high < 30 ? null : createFrame(before, 4, wide, high, { low: 0, high: Math.max(1, place(most)) }, y);
    return step;
  }

  /** @param {Pen} context @param {Frame} frame @param {number} step @param {By} by @param {Theme} theme */
  function paintAxes(context, frame, step, by, theme) {
    const { type } = surface;
    setFont(context, type.smallFont, "center", "top");
    context.lineWidth = 1;
    let taken = -Infinity;
    for (const count of [0, 1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6]) {
      const x = frame.toX(place(count));
      if (x > frame.right + 1) break;
      context.strokeStyle = theme.rule;
      strokeLine(context, x, frame.top, x, frame.bottom);
      const text = count >= 1000 ? `${count / 1000}k`.replace("000k", "M") : String(count);
      const half = context.measureText(text).width / 2;
      if (x - half < taken) continue;
      inkText(context, text, Math.min(x, frame.right + OVERHANG - half), frame.bottom + 4, theme.muted);
      taken = x + half + 8;
    }
    inkText(context, by === "step" ? "examples seen" : "updates made", (frame.left + frame.right) / 2, frame.bottom + 4 + type.line, theme.text);
    setLine(context, 1.2, theme.text);
    line(context, frame, frame.toY(0));
    drawYAxis(context, frame, { step, label: "", inline: false }, type, theme);
  }

  /** @param {Pen} context @param {Frame} frame @param {number} y */
  function line(context, frame, y) {
    strokeLine(context, frame.left, y, frame.right, y);
  }

  /** @param {Pen} context @param {Frame} frame @param {Learner[]} race @param {Theme} theme */
  function paintLimits(context, frame, race, theme) {
    const { type } = surface;
    const limits = limitsOf(race);
    context.textBaseline = "bottom";
    for (const [at, [limit, learners]] of [...limits].entries()) {
      const right = at % 2 === 0; // names of adjacent lines are at different ends, as the lines may be close
      context.textAlign = right ? "right" : "left";
      const ink = limits.size > 1 ? wordInk(learners[0].color, theme) : theme.text;
      const y = frame.toY(limit);
      setLine(context, type.projector ? 3 : 2, ink);
      line(context, frame, y);
      const whose = limits.size > 1 ? ` (${learners.map(({ name }) => name).join(", ")})` : "";
      context.font = type.boldFont;
      haloText(context, `largest margin${whose} ${short(limit)}`, right ? frame.right - 4 : frame.left + 4, y - 2, ink, theme.halo);
      for (const { share, color } of learners) {
        if (share === null) continue;
        context.setLineDash([2, 4]);
        context.strokeStyle = lineInk(color, theme);
        line(context, frame, frame.toY(limit * share));
        context.setLineDash([]);
      }
    }
    if (limits.size) return;
    setFont(context, type.boldFont, "left", "top");
    haloText(context, [...new Set(race.map(({ reason }) => reason))].join("; "), frame.left + 6, frame.top + 4, theme.text, theme.halo);
  }

  /** @param {Pen} context @param {Frame} frame @param {RaceScene} scene @param {Learner} learner @param {By} by @param {Theme} theme */
  function paintCurve(context, frame, scene, learner, by, theme) {
    const margins = scene.arrays[`race:${learner.key}:margin`] ?? NONE;
    const steps = scene.arrays[`race:${learner.key}:step`] ?? NONE;
    const places = scene.arrays[`race:${learner.key}:${by}`] ?? NONE;
    const now = steps.findLastIndex((step) => step <= learner.step);
    const here = { x: frame.toX(place(by === "step" ? learner.step : learner.updates)), y: frame.toY(learner.margin) };
    setLine(context, surface.type.projector ? 3.4 : 2.2, lineInk(learner.color, theme));
    for (const [from, to, alpha] of [[now, margins.length - 1, 0.28], [0, now, 1]]) {
      context.globalAlpha = alpha;
      context.beginPath();
      for (let i = from; i <= to; i++) {
        const x = frame.toX(place(places[i]));
        const y = frame.toY(margins[i]);
        if (i === from) context.moveTo(x, y);
        else {
          context.lineTo(x, frame.toY(margins[i - 1]));
          context.lineTo(x, y);
        }
      }
      if (alpha === 1) context.lineTo(here.x, here.y);
      context.stroke();
    }
    return here;
  }

  /** @param {RaceScene} scene @param {By} by @param {Theme} theme */
  function paint(scene, by, theme) {
    const { base: context, type } = surface;
    const step = layOut(scene, by);
    const frame = shown;
    if (!frame) return;
    paintAxes(context, frame, step, by, theme);
    clipTo(context, { left: frame.left - 6, top: 0, width: frame.width + 12, height: frame.bottom });
    paintLimits(context, frame, scene.race, theme);
    const dots = scene.race.map((learner) => ({ color: learner.color, ...paintCurve(context, frame, scene, learner, by, theme) }));
    context.globalAlpha = 1;
    if (by === "step") {
      const x = frame.toX(place(scene.clock?.step ?? 0));
      setLine(context, 1.2, theme.text);
      strokeLine(context, x, frame.top, x, frame.bottom);
    }
    for (const { color, x, y } of dots) {
      context.beginPath();
      context.arc(x, Math.min(y, frame.bottom - 4), type.projector ? 7 : 5, 0, 2 * Math.PI);
      context.fillStyle = lineInk(color, theme);
      context.fill();
      setLine(context, 1.5, theme.halo);
      context.stroke();
    }
    context.restore();
  }

  /** @param {Theme} theme */
  function paintNothing(theme) {
    drawNotice(surface.base, NOBODY, wholeOf(surface), surface.type, theme);
  }

  /** @param {RaceScene} scene */
  function summary({ race, clock }) {
    if (!race.length) return `Margin so far: ${NOBODY}`;
    const each = race.map(({ name, margin, limit, updates, reason }) =>
      `${name} ${short(margin)} after ${updates} updates, ${limit === null ? reason : `largest ${short(limit)}`}`);
    return spoken(`Margin so far, after ${clock?.step} of ${clock?.end} examples. ${each.join("; ")}.`);
  }

  /** Dragging sets the time to the one under the pointer. */
  const press = createHorizontalDrag();
  let held = false;
  /** @param {PointerEvent} event @param {boolean} commit */
  function follow(event, commit) {
    const { clock } = stage.scene;
    if (!clock || !shown) return;
    const { x } = surface.at(event);
    const step = Math.round(2 ** Math.max(0, shown.fromX(x)) - 1);
    stage.change({ step: Math.min(clock.end, step) }, { commit });
  }
  surface.cover.addEventListener("pointerdown", (event) => {
    if (!shown || !stage.scene.clock || byOf() !== "step") return;
    held = true;
    stage.touch("step");
    surface.cover.setPointerCapture(event.pointerId);
    press.begin(event);
    if (press.follows(event)) follow(event, false);
  });
  surface.cover.addEventListener("pointermove", (event) => held && press.follows(event) && follow(event, false));
  surface.cover.addEventListener("pointerup", (event) => {
    if (held) follow(event, true);
    held = false;
  });
  surface.cover.addEventListener("pointercancel", () => {
    held = false;
    stage.change({}, { commit: true });
  });

  return {
    tools,
    /** @param {RaceScene} scene */
    draw(scene) {
      if (!surface.ready()) return;
      const theme = stage.theme;
      const by = byOf();
      axis.show(by);
      if (!changed(scene, theme, surface.type, by)) return;
      surface.base.clearRect(0, 0, surface.width, surface.height);
      if (scene.race.length) paint(scene, by, theme);
      else paintNothing(theme);
      surface.describe(summary(scene));
    },
    resize: () => surface.measure(),
    destroy: () => surface.destroy(),
  };
}
