/** The decision function as colour. */

import { fieldRamp, rampIndex } from "./theme.js";

/** Keeps one small picture of a field and repaints its pixels only when the field, the ramp or the theme changed. */
export function createFieldPicture() {
  const picture = document.createElement("canvas");
  const context = picture.getContext("2d");
  let image = null;
  let words = null;
  let painted = null;
  let ramp = null;
  let rampTheme = null;
  let rampUnit = 0;

  function paint(field, size, unit, theme) {
    if (rampTheme !== theme || rampUnit !== unit) {
      ramp = fieldRamp(theme, unit);
      rampTheme = theme;
      rampUnit = unit;
      painted = null;
    }
    if (painted === field) return;
    painted = field;
    if (picture.width !== size || !image) {
      picture.width = picture.height = size;
      image = context.createImageData(size, size);
      words = new Uint32Array(image.data.buffer);
    }
    for (let row = 0; row < size; row++) {
      const from = row * size;
      const to = (size - 1 - row) * size; // the field's first row is the lowest
      for (let column = 0; column < size; column++) words[to + column] = ramp[rampIndex(field[from + column])];
    }
    context.putImageData(image, 0, 0);
  }

  return {
    /** Field values stand on grid nodes, the outermost ones on the frame: half a pixel is left out on each side. */
    draw(target, frame, field, size, unit, theme) {
      paint(field, size, unit, theme);
      target.imageSmoothingEnabled = true;
      target.imageSmoothingQuality = "medium";
      target.drawImage(picture, 0.5, 0.5, size - 1, size - 1, frame.left, frame.top, frame.width, frame.height);
    },
  };
}
