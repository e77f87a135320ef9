/** Lets Tab enter a group of radio buttons at the checked one: Streamlit's groups are entered at the first or the last. */
document.addEventListener("focusin", ({ target, relatedTarget }) => {
  const entered = /** @type {HTMLElement} */ (target);
  const group = entered.closest("[data-testid=stButtonGroup] [role=radiogroup]");
  if (!group || group.contains(/** @type {Node?} */ (relatedTarget)) || !entered.matches(":focus-visible")) return;
  /** @type {HTMLElement?} */ (group.querySelector("[role=radio][aria-checked=true]"))?.focus();
});
