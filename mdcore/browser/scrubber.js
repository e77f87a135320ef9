import { createScrubber } from "./scrubber/scrubber_view.js";
import { loadSheet } from "./shell/sheet.js";

const SHEETS = ["stage.css", "scrubber.css"];

/**
 * @typedef {{marginLab?: ReturnType<typeof createScrubber>, marginLabData?: Uint8Array}} Mounted
 */

/**
 * The path scrubber as a Streamlit component: one message contains the whole path.
 * @param {{parentElement: HTMLElement & Mounted, data: Uint8Array | null}} given
 */
export default function scrubber({ parentElement, data }) {
  const { marginLab, marginLabData } = parentElement;
  if (data && data !== marginLabData) {
    marginLab?.destroy();
    parentElement.marginLabData = data;
    const made = createScrubber(parentElement, data, { offline: false });
    parentElement.marginLab = made;
    Promise.all(SHEETS.map(loadSheet)).then(made.resize);
  }
  return () => setTimeout(() => {
    if (!parentElement.isConnected) parentElement.marginLab?.destroy();
  });
}
