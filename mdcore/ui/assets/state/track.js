/**
 * Positions of a slider and the values they stand for.
 *
 * @typedef {object} Track
 * @property {number} min
 * @property {number} max
 * @property {number | "any"} step
 * @property {(position: number) => number} toValue
 * @property {(value: number) => number} toPosition
 * @property {(value: number, steps: number) => number} move  so many steps from a value
 */

/** @import { Domain, Slider } from "./scene.js" */

const LOG_STEP = 0.25;
const LINEAR_STEPS = 100;

/**
 * A log slider's position is log2 of the value; with `zero` one more position, left of the lowest, stands for 0.
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
 * From 0 to `end`, slow at first: equal parts of the way are equal factors of 1 + value. A step is one.
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

/** A step's own position where the value was rounded: a step there and back leaves no trace. @param {number} position */
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
 * Whether `value` is in the legal domain of the control; an end that is null is infinite, and may belong to it.
 * @param {Domain} control @param {number} value
 */
export function isLegal(control, value) {
  if (Number.isNaN(value) || (control.integer && !Number.isInteger(value))) return false;
  const low = control.legalLow ?? -Infinity;
  const high = control.legalHigh ?? Infinity;
  return (control.openLow ? value > low : value >= low) && (control.openHigh ? value < high : value <= high);
}

/**
 * The nearest number between two; the lower one where they have changed places.
 * @param {number} value @param {number} low @param {number} high
 */
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** The number a text stands for, or the text: some numbers may be given as a word. @param {string} text */
export function readNumber(text) {
  if (/^\s*\+?(inf|infinity|∞)\s*$/i.test(text)) return Infinity;
  const number = text.trim() === "" ? NaN : Number(text);
  return Number.isNaN(number) ? text : number;
}

/** 2 ** log2(0.1) is not 0.1: twelve digits are, and are more than a hand can set. @param {number} value */
const tidy = (value, integer = false) => (integer ? Math.round(value) : Number(value.toPrecision(12)));
