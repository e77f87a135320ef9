import "./shell/recovery.js";
import { loadSheet } from "./shell/sheet.js";
import { createShell } from "./shell/shell.js";

/** The stage as a Streamlit component: mounted at the first call, fed with a message at every later one. */
export default function stage({ parentElement, data, setStateValue, setTriggerValue }) {
  if (!parentElement.marginLab) {
    parentElement.marginLab = createShell(parentElement);
    loadSheet("stage.css").then(parentElement.marginLab.reveal);
  }
  const shell = parentElement.marginLab;
  if (data) shell.receive(data, { setStateValue, setTriggerValue });
  return shell.leave;
}
