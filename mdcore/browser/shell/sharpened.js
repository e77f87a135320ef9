
const PRINTED = 4; // canvas pixels per CSS pixel in a figure

/**
 * Runs work while the canvases have print resolution, and then restores them.
 * @param {{sharpness?: number, scene: any}} stage
 * @param {() => {resize: () => void, draw: (scene: any) => void}[]} views
 * @returns {<T>(work: () => T) => T}
 */
export function sharpenedBy(stage, views) {
  const draw = () => views().forEach((view) => {
    view.resize();
    view.draw(stage.scene);
  });
  return (work) => {
    stage.sharpness = PRINTED;
    draw();
    const made = work();
    stage.sharpness = undefined;
    draw();
    return made;
  };
}
