import "./workarounds/recovery.js";
import { loadSheet } from "./shell/sheet.js";
import { createShell } from "./shell/shell.js";

/** @import { Setters } from "./state/stage.js" */

/**
 * The stage as a Streamlit component: mounted at the first call; every later call brings a message.
 * @param {Setters & {parentElement: HTMLElement & {marginLab?: ReturnType<typeof createShell>}, data: Uint8Array | null}} given
 */
export default function stage({ parentElement, data, setStateValue, setTriggerValue }) {
  const shell = parentElement.marginLab ?? createShell(parentElement);
  if (shell !== parentElement.marginLab) {
    parentElement.marginLab = shell;
    loadSheet("stage.css").then(shell.reveal);
  }
  if (data) shell.receive(data, { setStateValue, setTriggerValue });
  return shell.leave;
}
