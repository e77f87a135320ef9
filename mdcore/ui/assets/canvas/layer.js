/** What seldom changes, kept as pixels: while a slider is dragged the examples stand still and are only copied. */

import { createChangeDetector } from "./surface.js";

export function createLayer() {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  const changed = createChangeDetector();

  return {
    /** @param {unknown[]} inputs  everything the picture depends on */
    draw(context, inputs, paint) {
      const { width, height } = context.canvas;
      if (changed(width, height, ...inputs)) {
        canvas.width = width;
        canvas.height = height;
        pen.setTransform(context.getTransform());
        paint(pen);
      }
      context.save();
      context.resetTransform();
      context.drawImage(canvas, 0, 0);
      context.restore();
    },
  };
}
