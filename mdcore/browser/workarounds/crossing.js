/**
 * Keeps the history as it is when the answer of a page that was left comes after Back or Forward. Streamlit would add
 * that page to the history, with the query of the page on screen, and everything ahead would be gone. A page that the
 * visitor goes to comes after a press.
 */
let returned = false; // by Back or Forward, and nothing has been pressed since
const push = history.pushState.bind(history);
window.addEventListener("popstate", () => (returned = true), true);
for (const press of ["pointerdown", "click", "keydown"]) {
  window.addEventListener(press, () => (returned = false), true);
}
history.pushState = (state, unused, url) => {
  const { pathname } = new URL(url ?? location.href, location.href);
  if (!returned || pathname === location.pathname) push(state, unused, url);
};
