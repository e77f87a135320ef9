/** Draws negative numbers with a true minus sign: Streamlit's tables are canvases, and no format of theirs has one. */
const NUMBER = /^(?:-[\d.,]+(?:e[+-]?\d+)?|[\d.,]+e-\d+)(?: ?%)?$/;
const { fillText } = CanvasRenderingContext2D.prototype;

CanvasRenderingContext2D.prototype.fillText = function drawText(text, ...place) {
  fillText.call(this, NUMBER.test(text) ? text.replaceAll("-", "−") : text, ...place);
};
