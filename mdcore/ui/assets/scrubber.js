import { createScrubber } from "./scrubber/scrubber_view.js";
import { loadSheet } from "./shell/sheet.js";

const SHEETS = ["stage.css", "scrubber.css"];

/** The path scrubber as a Streamlit component: one message holds the whole path. */
export default function scrubber({ parentElement, data }) {
  const { marginLab, marginLabData } = parentElement;
  if (data && data !== marginLabData) {
    marginLab?.destroy();
    parentElement.marginLabData = data;
    parentElement.marginLab = createScrubber(parentElement, data, { offline: false });
    Promise.all(SHEETS.map(loadSheet)).then(() => parentElement.marginLab.resize());
  }
  return () => setTimeout(() => {
    if (!parentElement.isConnected) parentElement.marginLab?.destroy();
  });
}
