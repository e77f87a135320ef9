const OWN_SIGN = (0.5).toLocaleString().charAt(1);

/**
 * Lets a number field take a comma as the decimal sign, typed or pasted. A browser whose own sign is the point would
 * drop it: 1,5 would be 15. Of "1,234.5" it is left to the browser what the comma means.
 * @param {HTMLInputElement} number
 */
export function takeCommas(number) {
  if (OWN_SIGN !== ".") return;
  number.addEventListener("beforeinput", (event) => {
    const text = event.data ?? event.dataTransfer?.getData("text") ?? "";
    if (!/^[^.,]*,[^.,]*$/.test(text)) return;
    event.preventDefault();
    document.execCommand("insertText", false, text.replace(",", ".")); // the only way to insert at the caret here
  });
}
