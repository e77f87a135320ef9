import { createBalls } from "./balls.js";
import { createBound } from "./bound.js";
import { createClasses } from "./classes.js";
import { createCounts } from "./counts.js";
import { createCumulative } from "./cumulative.js";
import { h } from "../shell/dom.js";
import { createGrowth } from "./growth.js";
import { createHistogram } from "./histogram.js";
import { createOuter } from "./outer.js";
import { createRace } from "./race.js";
import { createMoreClasses } from "./more_classes.js";
import { createWeights } from "./weights.js";

/**
 * @typedef {object} ChartView
 * @property {(scene: any) => void} draw  gets a scene with the data of the page's charts
 * @property {() => void} resize
 * @property {() => void} destroy
 * @property {HTMLElement} [tools]  shown beside the title
 *
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} [help]
 * @property {boolean} [parts]  whether it shows training and test examples separately
 * @property {(scene: any) => string} [missing]  returns why there is nothing to draw, or ""
 * @property {(host: HTMLElement, stage: ViewStage) => ChartView} create
 *
 * @typedef {object} MadeChart
 * @property {string} name
 * @property {string} title
 * @property {string} [help]
 * @property {boolean} parts
 * @property {(scene: any) => string} missing
 * @property {HTMLElement} host
 * @property {ChartView} view
 */

/** @param {ClassScene} scene */
const withoutNumbers = ({ growth }) => (growth.numbers.length ? "" : "this data set has a fixed number of classes");
/** @param {RaceScene} scene */
const withoutLearners = ({ race }) => (race.length ? "" : "no online learner of two classes is shown");
/** @param {ClassScene} scene */
const withoutMcodm = ({ outer }) => (outer ? "" : "switch on mcODM");

/**
 * Every chart that a page can show under the panels, by its name in `scene.charts`, with `help` where it needs explanation.
 * @type {{[name: string]: Chart}}
 */
const CHARTS = {
  histogram: {
    title: "Who is near the boundary?",
    help: "The margin histogram: the number of examples with margins in each interval. Training examples are solid, test examples dashed; errors are left of 0. The parameters of a method are drawn where they act.",
    create: createHistogram,
    parts: true,
  },
  cumulative: {
    title: "How many are at most t?",
    help: "The cumulative margin curve: for every t, the share of examples whose margin is at most t. Training examples are solid, test examples dashed; the height at 0 is the share of errors. Drag the threshold t to move it.",
    create: createCumulative,
    parts: true,
  },
  race: { title: "Margin so far", create: createRace },
  weights: { title: "Weights", create: createWeights, missing: withoutLearners },
  balls: { title: "Unit balls", create: createBalls, missing: withoutLearners },
  counts: { title: "Race", create: createCounts, missing: withoutLearners },
  classes: {
    title: "Margins of each class",
    help: "The distribution of margins, with a row for each class and a column for each method. Training examples are filled, test examples dashed; all share the same axes. “Margins of” highlights one class here and shows only this class in the histogram, the curves and the table.",
    create: createClasses,
  },
  more_classes: {
    title: "With more classes",
    help: "Training margins of the same methods on the first two, three, … classes, as in Figure 2 of the mcODM paper: the narrower the peak, the sharper the distribution. The frame marks the number of classes on screen. Votes are left out, because they are not in the unit of margins.",
    create: createMoreClasses,
    missing: withoutNumbers,
  },
  growth: {
    title: "Accuracy with more classes",
    help: "Accuracy against the number of classes, as in Figure 1 of the mcODM paper. Training is solid, test dashed; the line marks the number on screen.",
    create: createGrowth,
    missing: withoutNumbers,
  },
  outer: {
    title: "mcODM's outer steps",
    help: "The objective (1) is not convex; a series of convex problems lowers it. Each point is the objective after one of them, as relative excess over the last value. It never increases.",
    create: createOuter,
    missing: withoutMcodm,
  },
  bound: {
    title: "Theorem 1, term by term",
    help: "The mcODM paper's bound on the error probability, for the norm and radius of the fitted model: mean of Φ(margin) + 16 r‖w‖/(1 − θ) √(2πk/m) + 3 √(ln(2/δ)/2m), δ = 0.05, of functional margins. Above 1 it is vacuous.",
    create: createBound,
    missing: withoutMcodm,
  },
};

/**
 * @param {string[]} names
 * @param {ViewStage} stage
 * @returns {MadeChart[]}
 */
export function createCharts(names, stage) {
  return names.map((name) => {
    const { title, help, create, parts = false, missing = () => "" } = CHARTS[name];
    const host = h("div", { class: "ml-view", "data-testid": name });
    return { name, title, help, parts, missing, host, view: create(host, stage) };
  });
}

/**
 * Returns a sentence that names the charts with nothing to draw, each reason once; "" if there are none.
 * @param {Pick<MadeChart, "title" | "missing">[]} charts @param {any} scene
 */
export function missingWords(charts, scene) {
  /** @type {Map<string, string[]>} */
  const titles = new Map();
  for (const { title, missing } of charts) {
    const reason = missing(scene);
    if (reason) titles.set(reason, [...titles.get(reason) ?? [], title]);
  }
  const parts = [...titles].map(([reason, found]) => `${found.map((title) => `“${title}”`).join(", ")}: ${reason}`);
  return parts.length ? `Not shown: ${parts.join("; ")}.` : "";
}
