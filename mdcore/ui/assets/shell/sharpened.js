
const PRINTED = 4; // pixels of a canvas to one of the page, in a figure

/**
 * Work that needs the canvases fine enough to be printed; afterwards they are as before.
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
