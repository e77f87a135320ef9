const OWN_SIGN = (0.5).toLocaleString().charAt(1);

/**
 * Lets a number field accept a comma as the decimal sign, typed or pasted. A browser whose decimal sign is the point
 * would drop it: 1,5 would become 15. The comma in "1,234.5" is left to the browser.
 * @param {HTMLInputElement} number
 */
export function takeCommas(number) {
  if (OWN_SIGN !== ".") return;
  number.addEventListener("beforeinput", (event) => {
    const text = event.data ?? event.dataTransfer?.getData("text") ?? "";
    if (!/^[^.,]*,[^.,]*$/.test(text)) return;
    event.preventDefault();
    document.execCommand("insertText", false, text.replace(",", ".")); // a number field has no other way to insert at the caret
  });
}
