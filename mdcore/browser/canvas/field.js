/** The decision function, or the regions of the classes, as colours. */

import { createChangeDetector, penOf } from "./surface.js";
import { fieldRamp, rampIndex, regionRamp } from "../shell/theme.js";

/** Creates an image of a grid with one pixel per node, repainted only when its inputs change. */
function createPixels() {
  const picture = document.createElement("canvas");
  const context = penOf(picture);
  /** @type {ImageData | null} */
  let image = null;
  let words = new Uint32Array();
  /** @type {unknown[]} */
  let painted = [];

  return {
    /**
     * @param {(node: number) => number} colourOf  an opaque ABGR word; called again only when one of `inputs` has changed
     * @param {number} size @param {unknown[]} inputs
     */
    paint(size, inputs, colourOf) {
      if (inputs.every((input, i) => input === painted[i])) return;
      painted = inputs;
      if (picture.width !== size || !image) {
        picture.width = picture.height = size;
        image = context.createImageData(size, size);
        words = new Uint32Array(image.data.buffer);
      }
      for (let row = 0; row < size; row++) {
        const from = row * size;
        const to = (size - 1 - row) * size; // the first row of the grid is the lowest
        for (let column = 0; column < size; column++) words[to + column] = colourOf(from + column);
      }
      context.putImageData(image, 0, 0);
    },

    /**
     * Draws the image into the frame. The outermost nodes lie on the frame, so half a pixel is cut off on each side.
     * @param {Pen} target @param {Frame} frame
     */
    draw(target, frame) {
      const size = picture.width;
      target.imageSmoothingEnabled = true;
      target.imageSmoothingQuality = "medium";
      target.drawImage(picture, 0.5, 0.5, size - 1, size - 1, frame.left, frame.top, frame.width, frame.height);
    },
  };
}

/** Creates the picture for two classes: colours fade to the background where f is zero. */
export function createFieldPicture() {
  const pixels = createPixels();
  let ramp = new Uint32Array();
  /** @type {Theme | null} */
  let rampTheme = null;
  let rampUnit = 0;

  return {
    /**
     * @param {Pen} target @param {Frame} frame @param {Int16Array} field @param {number} size @param {number} unit
     * @param {Theme} theme
     */
    draw(target, frame, field, size, unit, theme) {
      if (rampTheme !== theme || rampUnit !== unit) {
        ramp = fieldRamp(theme, unit);
        rampTheme = theme;
        rampUnit = unit;
      }
      pixels.paint(size, [field, ramp], (node) => ramp[rampIndex(field[node])]);
      pixels.draw(target, frame);
    },
  };
}

/** Creates the picture for several classes: each region in the colour of its class, faded where the two best scores are close. */
export function createRegionPicture() {
  const pixels = createPixels();
  /** @type {Uint32Array[]} */
  let ramp = [];
  const rampChanged = createChangeDetector();

  return {
    /**
     * @param {Pen} target @param {Frame} frame @param {Uint8Array} region @param {Uint8Array | undefined} certainty
     * @param {number} size @param {number} classes @param {Theme} theme
     */
    draw(target, frame, region, certainty, size, classes, theme) {
      if (rampChanged(classes, theme)) ramp = regionRamp(theme, classes);
      pixels.paint(size, [region, certainty, ramp], (node) => ramp[region[node]][certainty ? certainty[node] : 255]);
      pixels.draw(target, frame);
    },
  };
}
