/**
 * Colours of the canvases, for the light and the dark theme.
 *
 * @typedef {ReturnType<typeof createThemes>["light"]} Theme
 * @typedef {{dark: boolean, background: string}} Palette
 */

const LIGHT = {
  dark: false,
  background: "#ffffff",
  text: "#1f2328",
  muted: "#57606a",
  rule: "#dfe3e8",
  frame: "#8c959f",
  ghost: "#5b6470",
  veil: "rgba(255,255,255,0.62)",
  panel: "rgba(255,255,255,0.9)",
  halo: "#ffffff",
  accent: "#7a00cc",
  middle: [255, 255, 255],
  tint: 0.66,
};

const DARK = {
  dark: true,
  background: "#12171a",
  text: "#f0f3f6",
  muted: "#a9b4c0",
  rule: "#2b323c",
  frame: "#6e7985",
  ghost: "#b4bcc6",
  veil: "rgba(18,23,26,0.66)",
  panel: "rgba(18,23,26,0.88)",
  halo: "#12171a",
  accent: "#ffe14d",
  middle: [18, 23, 26],
  tint: 0.72,
};

/**
 * Creates the light and the dark theme with the class marks from Python; the field of two classes fades between `poles`.
 * @param {ClassMark[]} marks
 */
export function createThemes(marks) {
  const poles = marks.slice(0, 2).map(({ light }) => channels(light));
  /** @param {typeof LIGHT} base @param {"light" | "dark"} page */
  const themeOf = (base, page) => Object.freeze({ ...base, poles, marks: marks.map((mark) => ({ shape: mark.shape, ink: mark[page] })) });
  return { light: themeOf(LIGHT, "light"), dark: themeOf(DARK, "dark") };
}

const COLOR_SHIFT = 3; // after eight classes, shapes repeat in other colours

/** @param {number} label @param {{marks: {shape: string, ink: string}[]}} theme */
export const classShape = (label, { marks }) => marks[label % marks.length].shape;
/** @param {number} label @param {{marks: {shape: string, ink: string}[]}} theme */
export const classInk = (label, { marks }) => marks[(label + COLOR_SHIFT * Math.floor(label / marks.length)) % marks.length].ink;

/**
 * @param {string} hex
 * @returns {number[]} red, green, blue of "#rrggbb"
 */
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
/** @param {number[]} rgb */
const hexOf = (rgb) => `#${rgb.map((c) => Math.round(c).toString(16).padStart(2, "0")).join("")}`;
/** @param {number[]} from @param {number[]} to @param {number} share */
const mix = (from, to, share) => from.map((c, i) => c + share * (to[i] - c));

/** @param {number[]} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 10 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {number[]} a @param {number[]} b */
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
  return (high + 0.05) / (low + 0.05);
}

/** @type {Map<string, string>} */
const inks = new Map();

/**
 * Returns the colour of a method, moved towards black or white just far enough for the contrast `ratio`.
 * @param {string} color @param {Palette} theme @param {number} ratio
 */
function inkOf(color, theme, ratio) {
  const name = `${color}${theme.dark}${ratio}`;
  let ink = inks.get(name);
  if (!ink) {
    const paper = channels(theme.background);
    const end = theme.dark ? [255, 255, 255] : [0, 0, 0];
    let rgb = channels(color);
    for (let share = 0.05; contrast(rgb, paper) < ratio && share <= 1; share += 0.05) rgb = mix(channels(color), end, share);
    inks.set(name, (ink = hexOf(rgb)));
  }
  return ink;
}

/** Contrast of WCAG AA: 3:1 for lines, 4.5:1 for text. @param {string} color @param {Theme} theme */
export const lineInk = (color, theme) => inkOf(color, theme, 3);
/** @param {string} color @param {Theme} theme */
export const wordInk = (color, theme) => inkOf(color, theme, 4.5);

/** Returns the colour of a pin: the method's, mixed with much grey. @param {string} color @param {Theme} theme */
export const ghostInk = (color, theme) => hexOf(mix(channels(lineInk(color, theme)), channels(theme.ghost), 0.65));

const RAMP_SIZE = 1024;
const RAMP_SHIFT = 6; // maps 65536 int16 values to 1024 colours

/** Returns the ramp index of an int16 field value. @param {number} value */
export const rampIndex = (value) => (value + 32768) >> RAMP_SHIFT;

/**
 * Returns opaque ABGR words, one per ramp index; `unit` is the field value of the outer contour (|f| = 1).
 * The colour of a class saturates gradually, so that the picture is neither flat nor hard-edged.
 * @param {Theme} theme @param {number} unit
 */
export function fieldRamp(theme, unit) {
  const ramp = new Uint32Array(RAMP_SIZE);
  for (let i = 0; i < RAMP_SIZE; i++) {
    const f = ((i << RAMP_SHIFT) - 32768 + (1 << (RAMP_SHIFT - 1))) / unit;
    const share = theme.tint * (1 - Math.exp(-0.95 * Math.abs(f)));
    const [r, g, b] = mix(theme.middle, theme.poles[f < 0 ? 0 : 1], share).map(Math.round);
    ramp[i] = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  }
  return ramp;
}

const LEAST_SHARE = 0.2;

/**
 * Returns 256 opaque ABGR words for each class, from uncertain (nearly the background) to certain.
 * @param {Theme} theme @param {number} classes
 */
export function regionRamp(theme, classes) {
  return Array.from({ length: classes }, (_, label) => {
    const ink = classInk(label, theme);
    const ramp = new Uint32Array(256);
    for (let certainty = 0; certainty < 256; certainty++) {
      const share = theme.tint * (LEAST_SHARE + (1 - LEAST_SHARE) * (certainty / 255));
      const [r, g, b] = mix(theme.middle, channels(ink), share).map(Math.round);
      ramp[certainty] = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    }
    return ramp;
  });
}
