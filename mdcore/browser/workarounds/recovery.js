/**
 * Reloads the page when it has become blank. Streamlit's page does so when the responses of two pages cross, for example
 * after Back is pressed twice quickly. The URL holds the state, so a reload restores it.
 */
const page = /** @type {HTMLElement} */ (document.getElementById("root"));
new MutationObserver(() => {
  if (!page.childElementCount) location.reload();
}).observe(page, { childList: true });
