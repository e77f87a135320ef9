import { createHost } from "./line/host.js";
import { createRoute } from "./line/route.js";
import { createShell } from "./shell/shell.js";
import { loadSheet } from "./shell/sheet.js";

/** @import { Mounting } from "./line/host.js" */

/**
 * The stage as a Streamlit component, which hands over the page's token and its first query.
 * @param {Mounting & {parentElement: HTMLElement & {marginLab?: ReturnType<typeof mount>}}} given
 */
export default function stage({ parentElement, data, setTriggerValue }) {
  const { shell, line, host } = (parentElement.marginLab ??= mount(parentElement));
  line.useToken(data.token);
  host.use(setTriggerValue);
  shell.begin(data);
  return shell.leave;
}

/** @param {HTMLElement} parent */
function mount(parent) {
  const [line, host] = [createRoute(), createHost()];
  const shell = createShell(parent, { line, host });
  loadSheet("stage.css").then(shell.reveal);
  return { shell, line, host };
}
