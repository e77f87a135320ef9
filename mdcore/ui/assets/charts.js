import { createBalls } from "./balls.js";
import { createCounts } from "./counts.js";
import { createCumulative } from "./cumulative.js";
import { h } from "./dom.js";
import { createHistogram } from "./histogram.js";
import { createRace } from "./race.js";
import { createWeights } from "./weights.js";

/** Every chart a page may show beside the panels, by the name that Python gives in `scene.charts`. */
const CHARTS = {
  histogram: { title: "Margins", create: createHistogram, parts: true },
  cumulative: { title: "Cumulative margins", create: createCumulative, parts: true },
  race: { title: "Margin so far", create: createRace },
  weights: { title: "Weights", create: createWeights },
  balls: { title: "Unit balls", create: createBalls },
  counts: { title: "Race", create: createCounts },
};

/**
 * `parts`: it tells training and test examples apart. A view may bring `tools` for the line of its title.
 * @returns {{name: string, title: string, parts: boolean, host: HTMLElement, view: object}[]}
 */
export function createCharts(names, stage) {
  return names.map((name) => {
    const { title, create, parts = false } = CHARTS[name];
    const host = h("div", { class: "ml-view", "data-testid": name });
    return { name, title, parts, host, view: create(host, stage) };
  });
}
