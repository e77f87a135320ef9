import { createCumulative } from "./cumulative.js";
import { h } from "./dom.js";
import { createHistogram } from "./histogram.js";

/** Every chart a page may show under the panels, by the name that Python gives in `scene.charts`. */
const CHARTS = {
  histogram: { title: "Margins", create: createHistogram },
  cumulative: { title: "Cumulative margins", create: createCumulative },
};

/** @returns {{name: string, title: string, host: HTMLElement, view: object}[]} */
export function createCharts(names, stage) {
  return names.map((name) => {
    const { title, create } = CHARTS[name];
    const host = h("div", { class: "ml-view", "data-testid": name });
    return { name, title, host, view: create(host, stage) };
  });
}
