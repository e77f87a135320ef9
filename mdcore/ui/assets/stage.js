import { createShell } from "./shell.js";

/** The stage as a Streamlit component: mounted at the first call, fed with a message at every later one. */
export default function stage({ parentElement, data, setStateValue, setTriggerValue }) {
  if (!parentElement.marginLab) {
    parentElement.marginLab = createShell(parentElement);
    loadStyle().then(parentElement.marginLab.reveal);
  }
  const shell = parentElement.marginLab;
  if (data) shell.receive(data, { setStateValue, setTriggerValue });
  return shell.leave;
}

/** The style sheet lies beside this file, under whatever address Python serves it. A missing one hides nothing. */
function loadStyle() {
  const href = new URL("./stage.css", import.meta.url).href;
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
