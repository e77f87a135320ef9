/** The unit ball of the p-norm, which measures distances, beside the problem that an update solves in the q-norm. */

import { clipTo, createFrame, haloText, setFont, setLine, strokeDashed } from "../canvas/axes.js";
import { short } from "../shell/format.js";
import { createTextNote } from "../shell/help.js";
import { createPlainChart } from "./plain_chart.js";
import { lineInk, wordInk } from "../shell/theme.js";

const TURNS = 180;
const HELP = [
  "Left: all points at p-norm distance one. A large p makes the ball a square: a step may use all features at once.",
  "Right: all w of the same length in the q-norm, 1/p + 1/q = 1. A large p makes this ball a diamond with its corners on the axes.",
  "PUMMA's update takes the shortest w that satisfies two constraints: w must separate the pair, w·(x⁺ − x⁻) ≥ 2 (the excluded side is shaded), and w·f(w_old) ≥ ‖w_old‖², a half-plane that stands for all earlier examples. Picture the ball growing until it touches the region that both allow: near a corner the solution is sparse. Faint: the previous w.",
];

/**
 * @param {HTMLElement} host
 * @param {ViewStage} stage
 */
export function createBalls(host, stage) {
  return { ...createPlainChart(host, stage, paint), tools: createTextNote("Unit balls", HELP) };
}

/** @param {number} left @param {number} side @param {number} reach @param {Type} type */
function createSquare(left, side, reach, type) {
  const window = { low: -reach, high: reach };
  return createFrame(left, type.line + 3, side, side, window, window);
}

/** @param {Pen} context @param {Frame} frame @param {Theme} theme */
function paintAxes(context, frame, theme) {
  setLine(context, 1, theme.rule);
  context.strokeRect(frame.left + 0.5, frame.top + 0.5, frame.width - 1, frame.height - 1);
  context.beginPath();
  context.moveTo(frame.left, frame.toY(0));
  context.lineTo(frame.right, frame.toY(0));
  context.moveTo(frame.toX(0), frame.top);
  context.lineTo(frame.toX(0), frame.bottom);
  context.stroke();
}

/**
 * Draws all points of length `size` in the r-norm.
 * @param {Surface} surface @param {Frame} frame @param {number} r @param {number} size @param {string} ink
 * @param {string} fill
 */
function paintBall({ base: context, type }, frame, r, size, ink, fill) {
  context.beginPath();
  for (let i = 0; i <= TURNS; i++) {
    const angle = (2 * Math.PI * i) / TURNS;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const scale = size / lengthOf([c, s], r);
    context.lineTo(frame.toX(c * scale), frame.toY(s * scale));
  }
  context.fillStyle = fill;
  context.fill();
  setLine(context, type.projector ? 3.2 : 2.2, ink);
  context.stroke();
}

/**
 * Draws the line a·w = c, and shades the excluded side.
 * @param {Surface} surface @param {Frame} frame @param {number[]} a @param {number} c @param {string} ink
 * @param {number[]} dash @param {Theme} theme
 */
function paintConstraint({ base: context, type }, frame, a, c, ink, dash, theme) {
  const size = Math.hypot(...a);
  if (!size) return;
  const [nx, ny] = [a[0] / size, a[1] / size];
  const far = 4 * frame.x.high;
  const foot = [(nx * c) / size, (ny * c) / size];
  const ends = [[foot[0] - ny * far, foot[1] + nx * far], [foot[0] + ny * far, foot[1] - nx * far]];
  const behind = ends.map(([x, y]) => [x - nx * far, y - ny * far]).reverse();
  context.beginPath();
  for (const [x, y] of [...ends, ...behind]) context.lineTo(frame.toX(x), frame.toY(y));
  context.fillStyle = theme.text;
  context.globalAlpha = 0.07;
  context.fill();
  context.globalAlpha = 1;
  context.beginPath();
  for (const [x, y] of ends) context.lineTo(frame.toX(x), frame.toY(y));
  setLine(context, type.projector ? 2.6 : 1.8, ink);
  strokeDashed(context, dash);
}

/** @param {Pen} context @param {Frame} frame @param {number[]} pair @param {string} ink @param {number} width */
function paintArrow(context, frame, [x, y], ink, width) {
  const from = { x: frame.toX(0), y: frame.toY(0) };
  const to = { x: frame.toX(x), y: frame.toY(y) };
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  for (const turn of [2.6, -2.6]) {
    context.moveTo(to.x, to.y);
    context.lineTo(to.x + 9 * Math.cos(angle + turn), to.y + 9 * Math.sin(angle + turn));
  }
  setLine(context, width, ink);
  context.stroke();
}

/** @param {Surface} surface @param {Frame} frame @param {Balls} balls @param {Theme} theme */
function paintWeights(surface, frame, balls, theme) {
  const { base: context, type } = surface;
  const ink = lineInk(balls.color, theme);
  const { relaxed, w, q } = balls;
  paintAxes(context, frame, theme);
  clipTo(context, frame);
  paintBall(surface, frame, q, w ? lengthOf(w, q) : 1, ink, theme.dark ? "rgba(255,255,255,0.05)" : "rgba(0,0,0,0.03)");
  if (relaxed && w) {
    paintConstraint(surface, frame, relaxed.z, 2, theme.text, [], theme);
    if (relaxed.theta && relaxed.kept) paintConstraint(surface, frame, relaxed.theta, relaxed.least ?? 0, theme.text, [5, 4], theme);
  }
  if (relaxed?.old) {
    context.globalAlpha = 0.5;
    paintArrow(context, frame, relaxed.old, theme.ghost, 2.5);
    context.globalAlpha = 1;
  }
  if (w) paintArrow(context, frame, w, ink, type.projector ? 4 : 3);
  context.restore();
  if (relaxed && w) nameConstraints(surface, frame, relaxed, theme);
  if (relaxed && w && !relaxed.kept) {
    setFont(context, type.smallFont, "center", "bottom");
    haloText(context, "restarted", (frame.left + frame.right) / 2, frame.bottom - 3, theme.text, theme.halo);
  }
}

/** @param {Surface} surface @param {Frame} frame @param {Relaxed} relaxed @param {Theme} theme */
function nameConstraints({ base: context, type }, frame, relaxed, theme) {
  if (frame.width < 10 * type.small) return;
  setFont(context, type.smallFont, "left", "top");
  haloText(context, "— pair", frame.left + 4, frame.top + 3, theme.text, theme.halo);
  if (relaxed.theta && relaxed.kept) haloText(context, "- - before", frame.left + 4, frame.top + 3 + type.line, theme.text, theme.halo);
}

/** @param {Surface} surface @param {Frame} frame @param {string} text @param {string} ink @param {Theme} theme */
function titled({ base: context, type }, frame, text, ink, theme) {
  setFont(context, type.boldFont, "center", "bottom");
  haloText(context, text, (frame.left + frame.right) / 2, frame.top - 2, ink, theme.halo);
}

/** @param {Surface} surface @param {RaceScene} scene @param {Theme} theme */
function paint(surface, scene, theme) {
  if (scene.balls) paintBoth(surface, scene.balls, theme);
  return summary(scene);
}

/** @param {Surface} surface @param {Balls} balls @param {Theme} theme */
function paintBoth(surface, balls, theme) {
  const { base: context, width, height, type } = surface;
  context.lineJoin = "round";
  const side = Math.floor(Math.min(height - type.line - 6, (width - 12) / 2));
  if (side < 30) return;
  const left = (width - 2 * side - 12) / 2;
  const points = createSquare(left, side, 1.35, type);
  const reach = balls.w ? 1.25 * Math.max(lengthOf(balls.w, 2), lengthOf(balls.w, balls.q)) : 1.35;
  const weights = createSquare(left + side + 12, side, reach, type);
  paintAxes(context, points, theme);
  paintBall(surface, points, balls.p, 1, theme.text, theme.rule);
  titled(surface, points, `distance: p = ${short(balls.p)}`, theme.text, theme);
  paintWeights(surface, weights, balls, theme);
  titled(surface, weights, `weights: q = ${short(balls.q)}`, wordInk(balls.color, theme), theme);
}

/** @param {RaceScene} scene */
function summary({ balls }) {
  if (!balls) return "Unit balls: no online learner is shown.";
  const { name, p, q, w, relaxed } = balls;
  const weights = w ? `; its weights are ${w.map((value) => short(value)).join(" and ")}` : "";
  const old = relaxed?.old ? `, before its last update ${relaxed.old.map((value) => short(value)).join(" and ")}` : "";
  return `Unit balls for ${name}: distances in the norm of p = ${short(p)}, weights in that of q = ${short(q)}${weights}${old}.`;
}

/** @param {number[]} pair @param {number} r */
function lengthOf([x, y], r) {
  const largest = Math.max(Math.abs(x), Math.abs(y));
  return largest && largest * ((Math.abs(x) / largest) ** r + (Math.abs(y) / largest) ** r) ** (1 / r);
}
