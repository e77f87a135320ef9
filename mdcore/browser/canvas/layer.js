/** A cached layer of pixels: while a slider is dragged, the examples do not change and are only copied. */

import { createChangeDetector, penOf } from "./surface.js";

export function createLayer() {
  const canvas = document.createElement("canvas");
  const pen = penOf(canvas);
  const changed = createChangeDetector();

  return {
    /**
     * @param {unknown[]} inputs  everything that the picture depends on
     * @param {Pen} context @param {(pen: Pen) => void} paint
     */
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
