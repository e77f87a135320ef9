/**
 * A drawing that Python wrote as HTML and SVG, every text in it escaped: Streamlit's own HTML leaves out all SVG.
 * @param {{parentElement: HTMLElement & {marginLabDrawing?: string}, data: {html: string}}} given
 */
export default function drawing({ parentElement, data: { html } }) {
  if (parentElement.marginLabDrawing === html) return;
  parentElement.marginLabDrawing = html;
  parentElement.classList.add("ml-drawing");
  parentElement.innerHTML = html;
}
