/**
 * Streamlit's page falls to nothing when the answers of two pages cross, as after Back pressed twice at once. The
 * address holds what was shown: loading it again brings it back.
 */
const page = /** @type {HTMLElement} */ (document.getElementById("root"));
new MutationObserver(() => {
  if (!page.childElementCount) location.reload();
}).observe(page, { childList: true });
