import { createLivePlot } from "./charts/live_plot.js";
import { loadSheet } from "./shell/sheet.js";

/**
 * A figure of lines and points as a Streamlit component. It redraws on the same canvas, while Streamlit would recreate a
 * Plotly chart.
 * @import { LiveFigure } from "./charts/live_plot.js"
 * @param {{parentElement: HTMLElement & {marginLab?: ReturnType<typeof createLivePlot>}, data: LiveFigure}} given
 */
export default function livePlot({ parentElement, data }) {
  const made = parentElement.marginLab ?? createLivePlot(parentElement);
  if (made !== parentElement.marginLab) {
    parentElement.marginLab = made;
    Promise.all(["stage.css", "live_plot.css"].map(loadSheet)).then(made.resize);
  }
  made.show(data);
  return () => setTimeout(() => {
    if (!parentElement.isConnected) made.destroy();
  });
}
