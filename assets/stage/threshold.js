/** The threshold t on the cumulative curves: dragging, keyboard, and what the curves say there. */

import { crisp, percent, shorten, significant } from "./axes.js";
import { countUpTo } from "./cumulative.js";
import { wordInk } from "./theme.js";

const HOVER_REACH = 14;

/** @param {ReturnType<import("./cumulative.js").createCumulative>} view */
export function attachThreshold(view, stage) {
  const { surface } = view;
  const { cover, root } = surface;
  const slider = document.createElement("div");
  slider.className = "ml-threshold";
  slider.tabIndex = 0;
  slider.dataset.testid = "threshold";
  slider.setAttribute("role", "slider");
  slider.setAttribute("aria-label", "threshold t on the margin axis");
  root.appendChild(slider);
  cover.classList.add("ml-drawing-threshold");
  let dragging = false;
  let keyed = false;

  function valueOf() {
    const given = stage.value("view.t");
    const t = given === null || given === undefined || given === "" ? 0 : Number(given);
    return Number.isFinite(t) ? t : 0;
  }

  function step() {
    const { x } = view.frame;
    return 10 ** Math.floor(Math.log10((x.high - x.low) / 50));
  }

  function set(t, commit) {
    const { x } = view.frame;
    const limited = Math.max(x.low, Math.min(x.high, t));
    const decimals = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(step()) + 1e-9)));
    const value = Number(limited.toFixed(decimals));
    stage.change({ "view.t": value === 0 ? null : String(value) }, { commit });
    view.repaint();
  }

  function readings(curves, t) {
    const methods = new Map();
    for (const { key, name, color, split, ordered } of curves) {
      if (!methods.has(key)) methods.set(key, { name, color });
      methods.get(key)[split] = { count: countUpTo(ordered, t), of: ordered.length };
    }
    return [...methods.values()];
  }

  const shareOf = ({ count, of }) => percent(count / of);

  function paintReadout(context, frame, curves, t, theme) {
    const { type } = surface;
    const lines = readings(curves, t);
    const splits = ["train", "test"].filter((split) => lines.some((line) => line[split]));
    if (!lines.length) return;
    context.font = type.boldFont;
    const title = `P(margin ≤ ${significant(t, 4)})`;
    const gap = type.small * 0.8;
    const cell = Math.max(context.measureText("00.0 %").width, context.measureText("train").width + 2) + gap;
    const names = Math.max(...lines.map(({ name }) => context.measureText(name).width));
    const wide = Math.max(context.measureText(title).width, names + splits.length * cell) + 2 * gap;
    const high = (lines.length + 2) * type.line + gap;
    const x = frame.toX(t);
    // Right of the line the free corner is below the curves, left of it above them.
    const right = x + wide + 8 <= frame.right && x < (frame.left + frame.right) / 2;
    const left = right ? frame.right - wide - 2 : Math.max(frame.left + 2, Math.min(x - wide - 8, frame.left + 4));
    const top = right ? Math.max(frame.top, frame.bottom - high - 4) : frame.top + 4;
    context.fillStyle = theme.panel;
    context.strokeStyle = theme.rule;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(left, top, wide, high, 4);
    context.fill();
    context.stroke();
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.fillStyle = theme.text;
    context.fillText(shorten(context, title, wide - gap), left + gap, top + gap / 2 + type.line / 2);
    const columnEnd = (i) => left + wide - gap - (splits.length - 1 - i) * cell;
    context.font = type.smallFont;
    splits.forEach((split, i) => {
      context.textAlign = "right";
      context.fillStyle = theme.text;
      const y = top + gap / 2 + 1.5 * type.line;
      context.fillText(split, columnEnd(i), y);
      const word = context.measureText(split).width;
      context.beginPath();
      context.setLineDash(split === "test" ? [4, 2] : []);
      context.moveTo(columnEnd(i) - word, y + type.line / 2 - 1);
      context.lineTo(columnEnd(i), y + type.line / 2 - 1);
      context.lineWidth = 2;
      context.strokeStyle = theme.muted;
      context.stroke();
      context.setLineDash([]);
    });
    context.font = type.boldFont;
    lines.forEach((line, k) => {
      const y = top + gap / 2 + (k + 2.5) * type.line;
      context.fillStyle = wordInk(line.color, theme);
      context.textAlign = "left";
      context.fillText(line.name, left + gap, y);
      context.textAlign = "right";
      splits.forEach((split, i) => context.fillText(line[split] ? shareOf(line[split]) : "–", columnEnd(i), y));
    });
  }

  function describe(curves, t) {
    const said = readings(curves, t).map((line) =>
      `${line.name} ${["train", "test"].filter((split) => line[split]).map((split) => `${split} ${shareOf(line[split])}`).join(", ")}`);
    const text = `t = ${significant(t, 4)}; at or below t: ${said.join("; ")}`.replaceAll("−", "-");
    if (slider.getAttribute("aria-valuetext") === text) return;
    const { x } = view.frame;
    slider.setAttribute("aria-valuetext", text);
    slider.setAttribute("aria-valuenow", String(t));
    slider.setAttribute("aria-valuemin", String(x.low));
    slider.setAttribute("aria-valuemax", String(x.high));
  }

  /** The curve under the pointer, and the example whose step is nearest. */
  function hover(place) {
    const { frame } = view;
    const scene = stage.scene;
    const t = frame.fromX(place.x);
    let best = null;
    let least = HOVER_REACH;
    for (const curve of view.curves(scene)) {
      const { ordered } = curve;
      const before = countUpTo(ordered, frame.fromX(place.x - 4)) / ordered.length;
      const after = countUpTo(ordered, frame.fromX(place.x + 4)) / ordered.length;
      const high = frame.toY(after);
      const low = frame.toY(before);
      const distance = place.y < high ? high - place.y : place.y > low ? place.y - low : 0;
      if (distance < least) {
        least = distance;
        best = curve;
      }
    }
    if (!best) {
      leave();
      return;
    }
    const at = nearestStep(scene, best, t);
    const margin = scene.arrays[`margin:${best.key}`][at];
    const count = countUpTo(best.ordered, margin);
    const row = scene.arrays.row[at];
    if (row !== stage.selection.hover) stage.hover(row);
    const lines = [
      `${best.name}, ${best.split}`,
      `P(margin ≤ ${significant(margin, 4)}) = ${count}/${best.ordered.length} = ${percent(count / best.ordered.length, 4)}`,
      `step of row ${row}`,
    ];
    surface.showTip(lines, frame.toX(margin), place.y);
  }

  function nearestStep(scene, { key, split }, t) {
    const margins = scene.arrays[`margin:${key}`];
    let best = 0;
    let least = Infinity;
    for (let i = 0; i < margins.length; i++) {
      const distance = Math.abs(margins[i] - t);
      if (distance < least && (scene.arrays.part[i] === 1) === (split === "test")) {
        least = distance;
        best = i;
      }
    }
    return best;
  }

  function leave() {
    surface.hideTip();
    if (stage.selection.hover !== null) stage.hover(null);
  }

  const pointer = {
    pointerdown(event) {
      if (event.button !== 0 || !view.frame || !stage.scene) return;
      const place = surface.at(event);
      if (place.y > view.frame.bottom + 8) return;
      dragging = true;
      leave();
      cover.setPointerCapture(event.pointerId);
      slider.focus({ preventScroll: true });
      event.preventDefault(); // a click on a canvas would take the focus away again
      set(view.frame.fromX(place.x), false);
    },
    pointermove(event) {
      if (!view.frame || !stage.scene) return;
      const place = surface.at(event);
      if (dragging) set(view.frame.fromX(place.x), false);
      else if (view.frame.holds(place.x, place.y)) hover(place);
      else leave();
    },
    pointerup(event) {
      if (!dragging) return;
      dragging = false;
      set(view.frame.fromX(surface.at(event).x), true);
    },
    pointercancel() {
      dragging = false;
    },
    pointerleave() {
      if (!dragging) leave();
    },
  };

  const keyboard = {
    keydown(event) {
      if (!view.frame || event.ctrlKey || event.metaKey || event.altKey) return;
      const one = step() * (event.shiftKey ? 10 : 1);
      const { x } = view.frame;
      const t = valueOf();
      const targets = {
        ArrowLeft: t - one, ArrowDown: t - one, ArrowRight: t + one, ArrowUp: t + one,
        PageDown: t - 10 * one, PageUp: t + 10 * one, Home: x.low, End: x.high,
      };
      if (!(event.key in targets)) return;
      event.preventDefault();
      event.stopPropagation();
      keyed = true;
      set(targets[event.key], false);
    },
    keyup() {
      if (keyed) set(valueOf(), true);
      keyed = false;
    },
  };

  for (const [name, listener] of Object.entries(pointer)) cover.addEventListener(name, listener);
  for (const [name, listener] of Object.entries(keyboard)) slider.addEventListener(name, listener);

  return {
    paint(scene, curves, theme) {
      const { overlay: context, type } = surface;
      const { frame } = view;
      const t = Math.max(frame.x.low, Math.min(frame.x.high, valueOf()));
      const x = crisp(frame.toX(t) - 0.5);
      slider.style.transform = `translateX(${Math.round(x)}px)`;
      slider.style.height = `${Math.round(frame.bottom)}px`;
      describe(curves, t);
      context.beginPath();
      context.moveTo(x, frame.top - 2);
      context.lineTo(x, frame.bottom);
      context.lineWidth = type.projector ? 3 : 2;
      context.strokeStyle = theme.accent;
      context.stroke();
      const grip = type.projector ? 8 : 6;
      context.beginPath();
      context.arc(x, frame.bottom, grip, 0, 2 * Math.PI);
      context.fillStyle = theme.accent;
      context.fill();
      context.lineWidth = 2;
      context.strokeStyle = theme.halo;
      context.stroke();
      context.beginPath();
      for (const { ordered } of curves) {
        const y = frame.toY(countUpTo(ordered, t) / ordered.length);
        context.moveTo(x + 3.5, y);
        context.arc(x, y, 3.5, 0, 2 * Math.PI);
      }
      context.fillStyle = theme.accent;
      context.fill();
      paintReadout(context, frame, curves, t, theme);
    },
    destroy() {
      for (const [name, listener] of Object.entries(pointer)) cover.removeEventListener(name, listener);
      slider.remove();
    },
  };
}
