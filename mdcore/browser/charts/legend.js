/** The legend of the boundary panels, in one line of text. */

import { setLine, strokeLine } from "../canvas/axes.js";
import { DENSE, drawDensity } from "../canvas/density.js";
import { ICON, addGlyph, cornersOf, createIcon, inkOutline, paintMark } from "../canvas/glyphs.js";
import { BADGE, COUNTED, SIGNS, TERMS } from "../shell/glossary.js";
import { createWordNote } from "../shell/help.js";
import { h } from "../shell/dom.js";
import { labelText } from "../shell/format.js";
import { className } from "../state/class_filter.js";
import { createChangeDetector } from "../canvas/surface.js";

const CROWDED = 10; // with more classes than this, only the names are shown
const { side: SIDE, middle: MIDDLE, radius: RADIUS } = ICON;

/**
 * A sign in the panels, with its name and meaning.
 * @typedef {{words: string, paint: (context: Pen) => void, meaning: string}} Entry
 *
 * @param {string} words @param {(context: Pen) => void} paint @param {string} meaning
 * @returns {Entry}
 */
const entry = (words, paint, meaning) => ({ words, paint, meaning });

/** @param {Pen} context @param {Theme} theme */
function cross(context, theme) {
  context.beginPath();
  for (const [from, to] of [[3, 15], [15, 3]]) {
    context.moveTo(3, from);
    context.lineTo(15, to);
  }
  setLine(context, 2.5, theme.text);
  context.stroke();
  paintMark(context, 0, false, theme);
}

/** @param {Pen} context @param {Theme} theme */
function crowd(context, theme) {
  const cell = { x: 0, y: 0, counts: [3, 1], errors: 1, total: 4 };
  drawDensity(context, [cell], theme, SIDE);
}

/** Draws an example of the first class that is predicted as the second. @param {Pen} context @param {Theme} theme */
function mistaken(context, theme) {
  paintMark(context, 0, false, theme, 3);
  context.beginPath();
  addGlyph(context, cornersOf(1, theme), MIDDLE, MIDDLE, 6.2);
  inkOutline(context, 1, theme);
}

/** @param {Pen} context @param {Theme} theme */
function ring(context, theme) {
  paintMark(context, 0, false, theme);
  context.beginPath();
  context.arc(MIDDLE, MIDDLE, RADIUS + 2.5, 0, 2 * Math.PI);
  setLine(context, 1.5, theme.text);
  context.stroke();
}

/** @param {Pen} context @param {number[]} dash @param {number} width @param {Theme} theme */
function line(context, dash, width, theme) {
  context.setLineDash(dash);
  setLine(context, width, theme.text);
  strokeLine(context, 1, MIDDLE, SIDE - 1, MIDDLE);
}

/** @param {Pen} context @param {Theme} theme */
function pair(context, theme) {
  line(context, [], 1.6, theme);
  for (const x of [4, SIDE - 4]) {
    context.beginPath();
    context.arc(x, MIDDLE, 3.5, 0, 2 * Math.PI);
    context.fillStyle = theme.background;
    context.fill();
    context.stroke();
  }
}

/** @param {Pen} context @param {Theme} theme */
function seen(context, theme) {
  context.beginPath();
  context.arc(MIDDLE, MIDDLE, RADIUS + 2, 0, 2 * Math.PI);
  setLine(context, 3, theme.accent);
  context.stroke();
}

/** Returns the entries for the marks of online learners. @param {Scene["stream"]} stream @param {Theme} theme */
function streamEntries(stream, theme) {
  /** @param {keyof StreamMarks} name */
  const any = (name) => Object.values(stream ?? {}).some((marks) => marks[name] !== null);
  return [
    any("row") && entry("example just seen (thick: update)", (context) => seen(context, theme), SIGNS["example just seen"]),
    any("pair") && entry("PUMMA's pair", (context) => pair(context, theme), SIGNS["PUMMA's pair"]),
    any("old") && entry("before the latest update", (context) => line(context, [7, 4], 1.8, theme), SIGNS["before the update"]),
  ];
}

/** @param {Entry} entry @returns {[word: string, meaning: string]} */
const toWord = ({ words, meaning }) => [words, meaning];

/** Names the outer contours: at ±1 or, for a method with another unit, at its mean margin. @param {Panel[]} panels */
function outerWords(panels) {
  const drawn = panels.filter(({ levels, regions }) => levels && !regions);
  if (!drawn.length) return "";
  const others = drawn.filter(({ levels }) => levels?.[2] !== 1).map(({ name }) => name);
  if (!others.length) return "f = ±1";
  return others.length === drawn.length ? "f = ± mean margin" : `f = ±1 (${others.join(", ")}: ± mean margin)`;
}

/** @param {Panel[]} panels */
function ringWords(panels) {
  const labels = new Set(panels.map(({ badge }) => badge?.supportLabel).filter(Boolean));
  return labels.size === 1 ? [...labels][0] : "counted above the plot";
}

/**
 * Returns the entries of the methods, with a note beside each name.
 * @param {Panel[]} panels @param {(key: string) => string} summaryOf
 * @returns {[word: string, meaning: string][]}
 */
function panelWords(panels, summaryOf) {
  const counting = panels.some(({ badge }) => badge?.updates !== undefined);
  return [...panels.map(({ key, name }) => /** @type {[string, string]} */ ([name, summaryOf(key)])),
    ...Object.entries(counting ? { "✓": BADGE["✓"], ...COUNTED, test: BADGE.test } : BADGE)];
}

/**
 * @param {HTMLElement} host a line of text, as high as its text
 * @param {ViewStage} stage
 * @param {(key: string) => string} [summaryOf]  describes a method whose panel does not
 */
export function createLegend(host, stage, summaryOf) {
  const root = document.createElement("div");
  root.className = "ml-legend";
  host.append(root);
  const changed = createChangeDetector();

  return {
    /** @param {Scene} scene */
    draw(scene) {
      const theme = stage.theme;
      const outer = outerWords(scene.panels);
      const rings = String(stage.value("view.sv") ?? "") === "1" ? ringWords(scene.panels) : "";
      const tests = scene.split.test > 0;
      const { kind, note } = scene.plane;
      const dense = scene.arrays.row.length > DENSE;
      const named = summaryOf ? panelWords(scene.panels, summaryOf) : [];
      if (!changed(theme, outer, rings, tests, kind, note, dense, scene.stream, ...scene.classes, ...named.flat())) return;
      const crowded = scene.classes.length > CROWDED;
      const entries = [
        ...scene.classes.map((name, label) =>
          entry(crowded ? labelText(name) : className(name), (context) => paintMark(context, label, false, theme), SIGNS.class)),
        tests && !dense && entry("test", (context) => paintMark(context, 0, true, theme), SIGNS["test examples"]),
        dense
          ? entry("many examples; dark middle: errors", (context) => crowd(context, theme), SIGNS.density)
          : entry("error", (context) => cross(context, theme), SIGNS.error),
        rings && entry(rings, (context) => ring(context, theme), TERMS["support vectors"]),
        kind === "components"
          ? entry(`outline: the predicted class · ${note}`, (context) => mistaken(context, theme), SIGNS["predicted class"])
          : entry(outer ? "f = 0" : "boundary", (context) => line(context, [], 2.4, theme), SIGNS.boundary),
        outer && entry(outer, (context) => line(context, [4, 3], 1.6, theme), SIGNS["outer contours"]),
        ...streamEntries(scene.stream, theme),
      ].filter((item) => typeof item === "object");
      root.replaceChildren(
        ...entries.map(({ words, paint }) => h("span", {}, createIcon(paint), words)),
        createWordNote("Symbols in the pictures", [
          ...crowded ? [/** @type {[string, string]} */ (["classes", SIGNS.class])] : [],
          ...entries.slice(crowded ? scene.classes.length : 0).map(toWord), ...named,
        ]));
      root.classList.toggle("ml-crowded", crowded);
    },
    resize() {},
    destroy() {
      root.remove();
    },
  };
}
