/**
 * The mapping between positions and values of a slider.
 *
 * @typedef {object} Track
 * @property {number} min
 * @property {number} max
 * @property {number | "any"} step
 * @property {(position: number) => number} toValue
 * @property {(value: number) => number} toPosition
 * @property {(value: number, steps: number) => number} move  returns the value a number of steps away
 */

const LOG_STEP = 0.25;
const LINEAR_STEPS = 100;

/**
 * Creates the track of a slider. The position on a log slider is log2 of the value; with `zero`, an extra position at the
 * left end stands for 0.
 * @param {Slider} control
 * @returns {Track}
 */
export function createTrack(control) {
  const track = control.log ? logTrack(control) : linearTrack(control);
  /** @param {number} value @param {number} steps */
  const move = (value, steps) => track.toValue(clamp(track.toPosition(value) + steps * track.step, track.min, track.max));
  return { ...track, move };
}

/**
 * Creates a track from 0 to `end` that is finer at the start: equal distances are equal factors of 1 + value. Steps are 1.
 * @param {number} end
 * @returns {Track}
 */
export function createCountTrack(end) {
  return {
    min: 0,
    max: Math.log2(1 + end),
    step: "any",
    /** @param {number} position */
    toValue: (position) => clamp(Math.round(2 ** position - 1), 0, end),
    /** @param {number} value */
    toPosition: (value) => Math.log2(1 + clamp(value, 0, end)),
    /** @param {number} value @param {number} steps */
    move: (value, steps) => clamp(value + steps, 0, end),
  };
}

/** @param {Slider} control */
function logTrack({ low, high, zero, integer }) {
  const lowest = Math.log2(low);
  const max = Math.log2(high);
  const min = zero ? lowest - LOG_STEP : lowest;
  return {
    min,
    max,
    step: LOG_STEP,
    /** @param {number} position */
    toValue(position) {
      if (zero && position < lowest - LOG_STEP / 2) return 0;
      return tidy(2 ** position, integer);
    },
    /** @param {number} value */
    toPosition: (value) => (value > 0 ? clamp(onStep(Math.log2(value)), lowest, max) : min),
  };
}

/** Returns the position of a step for a rounded value, so that a step forth and back restores the value. @param {number} position */
function onStep(position) {
  const nearest = Math.round(position / LOG_STEP) * LOG_STEP;
  return Math.abs(nearest - position) < 1e-9 ? nearest : position;
}

/** @param {Slider} control */
function linearTrack({ low, high, step, integer }) {
  return {
    min: low,
    max: high,
    step: step ?? (integer ? 1 : tidy((high - low) / LINEAR_STEPS)),
    /** @param {number} position */
    toValue: (position) => tidy(position, integer),
    /** @param {number} value */
    toPosition: (value) => clamp(value, low, high),
  };
}

/**
 * Returns whether `value` is in the domain of the control; a null end is infinite, and may be included.
 * @param {Domain} control @param {number} value
 */
export function isLegal(control, value) {
  if (Number.isNaN(value) || (control.integer && !Number.isInteger(value))) return false;
  const low = control.legalLow ?? -Infinity;
  const high = control.legalHigh ?? Infinity;
  return (control.openLow ? value > low : value >= low) && (control.openHigh ? value < high : value <= high);
}

/**
 * Clamps a number to an interval; returns the lower end if the ends are reversed.
 * @param {number} value @param {number} low @param {number} high
 */
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** Returns the number in a text, or the text, as some numbers can be given as words. @param {string} text */
export function readNumber(text) {
  if (/^\s*\+?(inf|infinity|∞)\s*$/i.test(text)) return Infinity;
  const number = text.trim() === "" ? NaN : Number(text);
  return Number.isNaN(number) ? text : number;
}

/** Rounds to twelve digits, because 2 ** log2(0.1) is not exactly 0.1. @param {number} value */
const tidy = (value, integer = false) => (integer ? Math.round(value) : Number(value.toPrecision(12)));
