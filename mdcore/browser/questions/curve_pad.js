/** A pad for drawing a cumulative margin curve by hand: the margin on x, the share of examples on y. */

import { createFrame } from "../canvas/axes.js";
import { penOf } from "../canvas/surface.js";
import { h } from "../shell/dom.js";
import { clamp } from "../state/track.js";

const FONT = 13;
const EDGE = { left: 46, right: 12, top: 10, bottom: 34 }; // for letters of that size

/**
 * @typedef {{curve: number[], color: string, width: number, dash?: number[], label?: string}} Line
 * @param {HTMLElement} host
 * @param {{low: number, high: number, levels: number, label: string, onDraw: (curve: number[] | null) => void}} options
 */
export function createCurvePad(host, { low, high, levels: count, label, onDraw }) {
  const canvas = h("canvas", {
    class: "pad", role: "img", "aria-label": `${label} Draw with a finger or the mouse, or use the three sliders below.`,
  });
  const sliders = [0.3, 0.55, 0.8].map((share) => h("input", {
    type: "range", min: low, max: high, step: (high - low) / 100, value: low + share * (high - low), oninput: bySliders,
  }));
  const row = h("div", { class: "pad-sliders" }, ["lowest", "middle", "highest"].map((name, at) => h("label", {}, `${name} margin`, sliders[at])));
  host.append(canvas, row);

  /** @type {number[] | null} */
  let curve = null;
  /** @type {Line[]} */
  let lines = [];
  /** @type {{level: number, value: number} | null} */
  let last = null;
  let locked = false;

  /** Draws a curve through the lowest, the middle and the highest margin, which are set by sliders. */
  function bySliders() {
    const [a, b, c] = sliders.map((input) => Number(input.value)).sort((p, q) => p - q);
    set(levels().map((level) => (level < 0.5 ? b - (b - a) * (1 - 2 * level) ** 1.6 : b + (c - b) * (2 * level - 1) ** 1.6)));
    onDraw(curve);
  }

  const levels = () => Array.from({ length: count }, (_, at) => at / (count - 1));

  /** Returns how letters grow with the text around the pad. */
  const scale = () => clamp((0.8 * parseFloat(getComputedStyle(canvas).fontSize)) / FONT, 1, 1.7);

  /** @param {number} unit  by which letters grow */
  function frameOf(unit) {
    const { left, right, top, bottom } = EDGE;
    const wide = canvas.clientWidth - left * unit - right;
    return createFrame(left * unit, top, wide, canvas.clientHeight - top - bottom * unit, { low, high }, { low: 0, high: 1 });
  }

  function paint() {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const unit = scale();
    const { left, right, top, bottom, width, height, toX, toY } = frameOf(unit);
    if (!canvas.clientWidth) return;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    const pen = penOf(canvas);
    const style = getComputedStyle(canvas);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = `${FONT * unit}px ${style.fontFamily}`;
    pen.fillStyle = style.color;
    pen.strokeStyle = style.color;
    pen.globalAlpha = 0.35;
    pen.strokeRect(left, top, width, height);
    if (low < 0 && high > 0) stroke(pen, [[toX(0), top], [toX(0), bottom]], 1, [3, 3]);
    pen.globalAlpha = 1;
    pen.textAlign = "right";
    for (const level of [0, 0.5, 1]) pen.fillText(`${100 * level} %`, left - 5, toY(level) + 4 * unit);
    pen.textAlign = "center";
    for (const value of [low, 0, high]) if (value >= low && value <= high) pen.fillText(String(value).replace("-", "−"), toX(value), bottom + 15 * unit);
    pen.fillText("margin", (left + right) / 2, bottom + 30 * unit);
    for (const line of [...lines, ...(curve ? [{ curve, color: style.color, width: 3, dash: [] }] : [])]) {
      pen.strokeStyle = line.color;
      stroke(pen, line.curve.map((value, at) => [toX(value), toY(at / (line.curve.length - 1))]), line.width, line.dash ?? []);
    }
  }

  /** @param {Pen} pen @param {number[][]} points @param {number} width @param {number[]} dash */
  function stroke(pen, points, width, dash) {
    pen.beginPath();
    for (const [x, y] of points) pen.lineTo(x, y);
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** @param {PointerEvent} event */
  function placeOf(event) {
    const box = canvas.getBoundingClientRect();
    const { fromX, fromY } = frameOf(scale());
    return {
      value: clamp(fromX(event.clientX - box.left), low, high),
      level: Math.round(clamp(fromY(event.clientY - box.top), 0, 1) * (count - 1)),
    };
  }

  /** Sets all levels between the finger's last position and this one, and moves the others to keep the curve monotone. */
  function carry(/** @type {{level: number, value: number}} */ place) {
    const from = last ?? place;
    const next = curve ? [...curve] : Array(count).fill(place.value);
    const steps = Math.max(1, Math.abs(place.level - from.level));
    for (let step = 0; step <= steps; step += 1) {
      const level = Math.round(from.level + ((place.level - from.level) * step) / steps);
      const value = from.value + ((place.value - from.value) * step) / steps;
      for (let i = 0; i < count; i += 1) {
        if (i === level) next[i] = value;
        else next[i] = i < level ? Math.min(next[i], value) : Math.max(next[i], value);
      }
    }
    last = place;
    set(next);
  }

  /** @param {number[] | null} next */
  function set(next) {
    curve = next;
    paint();
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (locked) return;
    canvas.setPointerCapture(event.pointerId);
    last = null;
    carry(placeOf(event));
  });
  canvas.addEventListener("pointermove", (event) => last && !locked && carry(placeOf(event)));
  const drop = () => {
    if (!last) return;
    last = null;
    onDraw(curve);
  };
  canvas.addEventListener("pointerup", drop);
  canvas.addEventListener("pointercancel", drop);
  const sizes = new ResizeObserver(paint);
  sizes.observe(canvas);

  return {
    get curve() {
      return curve;
    },
    set,
    /** Shows other curves behind the drawn one. @param {Line[]} next */
    show(next) {
      lines = next;
      paint();
    },
    /** @param {boolean} now */
    lock(now) {
      locked = now;
      row.hidden = now;
    },
    destroy: () => sizes.disconnect(),
  };
}
