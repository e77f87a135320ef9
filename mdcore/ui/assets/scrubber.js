import { createScrubber } from "./scrubber_view.js";

const SHEETS = ["./stage.css", "./scrubber.css"];

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

/** The sheets lie beside this file, under whatever address Python serves it. A missing one hides nothing. */
function loadSheet(name) {
  const href = new URL(name, import.meta.url).href;
  let link = document.head.querySelector(`link[href="${href}"]`);
  if (link?.sheet) return Promise.resolve();
  if (!link) {
    link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    document.head.append(link);
  }
  return new Promise((resolve) => {
    link.addEventListener("load", resolve, { once: true });
    link.addEventListener("error", resolve, { once: true });
  });
}
