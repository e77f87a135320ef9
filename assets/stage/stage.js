import { createShell } from "./shell.js";

/** The stage as a Streamlit component: mounted at the first call, fed with a message at every later one. */
export default function stage({ parentElement, data, setStateValue }) {
  loadStyle();
  parentElement.marginLab ??= createShell(parentElement);
  const shell = parentElement.marginLab;
  if (data) shell.receive(data, setStateValue);
  return shell.leave;
}

/** The style sheet lies beside this file, under whatever address Python serves it. */
function loadStyle() {
  const href = new URL("./stage.css", import.meta.url).href;
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) return;
  if (document.head.querySelector(`link[href="${href}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  document.head.append(link);
}
