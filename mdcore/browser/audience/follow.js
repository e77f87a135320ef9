/** The presenter's picture on a phone: the margin curves and, for two features, fields and examples. */

/**
 * @typedef {{x: number[], y: number[], raw: number[][], at: string, label: string}} Points
 * @typedef {{key: string, name: string, color: string, curve: number[], unit: number, field?: string, grid?: number}} Method
 * @typedef {{scale: string, classes: string[], points: Points | null, methods: Method[]}} Scene
 */

/** Colours of the classes on a light and on a dark page, as on the stage. */
const CLASSES = [["#0072B2", "#4CB3EC"], ["#D55E00", "#FF8A3D"]];

/** @param {string} text */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** @param {HTMLElement} host @param {(x: number, y: number) => void} onPlace  gets unscaled feature values */
export function createFollower(host, onPlace) {
  /** @type {Scene | null} */
  let scene = null;
  /** @type {number[] | null} */
  let own = null;

  function canvas(/** @type {string} */ name, /** @type {number} */ height) {
    const made = document.createElement("canvas");
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", name);
    made.style.height = `${height}px`;
    return made;
  }

  function draw() {
    if (!scene) return;
    const { methods, points } = scene;
    const pictures = points ? methods.filter(({ field }) => field).slice(0, 2) : [];
    host.replaceChildren(...pictures.map((method) => panel(method, /** @type {Points} */ (points))), curves(scene));
  }

  function panel(/** @type {Method} */ method, /** @type {Points} */ points) {
    const made = canvas(`${method.name}: the boundary among the examples`, 240);
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = method.name;
    figure.append(caption, made);
    requestAnimationFrame(() => paintPanel(made, method, points));
    made.addEventListener("click", (event) => {
      const box = made.getBoundingClientRect();
      const across = (event.clientX - box.left) / box.width;
      const up = 1 - (event.clientY - box.top) / box.height;
      const places = [points.x, points.y].map(([low, high], axis) => low + [across, up][axis] * (high - low));
      const [x, y] = places.map((place, axis) => points.raw[axis][0] + points.raw[axis][1] * place);
      own = [across, up];
      onPlace(x, y);
      draw();
    });
    return figure;
  }

  function paintPanel(/** @type {HTMLCanvasElement} */ made, /** @type {Method} */ method, /** @type {Points} */ points) {
    const { pen, width, height, dark } = penOf(made);
    const grid = method.grid ?? 1;
    const field = new Int8Array(bytesOf(method.field ?? "").buffer);
    const small = document.createElement("canvas");
    small.width = small.height = grid;
    const brush = /** @type {CanvasRenderingContext2D} */ (small.getContext("2d"));
    field.forEach((value, at) => {
      brush.globalAlpha = (Math.abs(value) / 127) * 0.55;
      brush.fillStyle = CLASSES[value > 0 ? 1 : 0][0];
      brush.fillRect(at % grid, grid - 1 - Math.floor(at / grid), 1, 1);
    });
    pen.drawImage(small, 0, 0, width, height);
    const at = bytesOf(points.at);
    const labels = bytesOf(points.label);
    labels.forEach((label, i) => {
      pen.fillStyle = CLASSES[label]?.[Number(dark)] ?? "#777";
      const x = (at[i] / 255) * width;
      const y = (1 - at[labels.length + i] / 255) * height;
      pen.beginPath();
      if (label) for (const [right, down] of [[0, -3.6], [3.4, 2.5], [-3.4, 2.5]]) pen.lineTo(x + right, y + down);
      else pen.arc(x, y, 2.8, 0, 2 * Math.PI);
      pen.fill();
    });
    if (!own) return;
    pen.strokeStyle = dark ? "#fff" : "#000";
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(own[0] * width, (1 - own[1]) * height, 8, 0, 2 * Math.PI);
    pen.stroke();
  }

  function curves(/** @type {Scene} */ { methods: every, scale }) {
    const methods = every.filter(({ curve }) => curve.length); // a constant f has no margins on the geometric scale
    const made = canvas(`Cumulative ${scale} margins of ${methods.map(({ name }) => name).join(", ")}`, 170);
    requestAnimationFrame(() => {
      const { pen, width, height } = penOf(made);
      const all = methods.flatMap(({ curve, unit }) => [curve[0] * unit, curve[curve.length - 1] * unit]);
      const low = Math.min(0, ...all);
      const high = Math.max(0, ...all);
      const toX = (/** @type {number} */ value) => 4 + ((value - low) / (high - low || 1)) * (width - 8);
      pen.globalAlpha = 0.4;
      pen.strokeRect(4, 4, width - 8, height - 24);
      pen.beginPath();
      pen.moveTo(toX(0), 4);
      pen.lineTo(toX(0), height - 20);
      pen.stroke();
      pen.globalAlpha = 1;
      pen.lineWidth = 2.5;
      methods.forEach(({ curve, unit, color, name }, number) => {
        pen.strokeStyle = pen.fillStyle = color;
        pen.beginPath();
        curve.forEach((value, i) => pen.lineTo(toX(value * unit), 4 + (1 - i / (curve.length - 1)) * (height - 24)));
        pen.stroke();
        pen.fillText(name, 8 + number * 90, height - 4);
      });
    });
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.textContent = "How many margins are at most t? The line is at 0.";
    figure.append(caption, made);
    return figure;
  }

  function penOf(/** @type {HTMLCanvasElement} */ made) {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const { clientWidth: width, clientHeight: height } = made;
    made.width = width * ratio;
    made.height = height * ratio;
    const pen = /** @type {CanvasRenderingContext2D} */ (made.getContext("2d"));
    const style = getComputedStyle(made);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = `600 13px ${style.fontFamily}`;
    pen.strokeStyle = style.color;
    return { pen, width, height, dark: matchMedia("(prefers-color-scheme: dark)").matches };
  }

  return {
    show(/** @type {Scene} */ next) {
      scene = next;
      draw();
    },
    /** Clears the chosen place. */
    clear() {
      own = null;
      draw();
    },
  };
}
