/**
 * Numbers as text: three significant digits and a true minus sign; 0.000934, but 9.34 × 10⁻⁵. The exact value belongs in a tooltip.
 * `mdcore/basics/text.py` follows the same rules in Python; tests/numbers.json has common test cases.
 */

const NONE = "–";
const SMALLEST = 1e-4; // no power of ten from here to LARGEST
const LARGEST = 1e5;
const WHOLE = 1e6; // smaller whole numbers are written in full
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const TIMES = "\u202f×\u202f"; // between narrow spaces at which no line breaks

/** @param {string} text */
const minus = (text) => text.replaceAll("-", "−");

/**
 * Returns the significant digits and the power of ten that they are times.
 * @param {number} value @param {number} digits @returns {[digits: string, power: number]}
 */
function significant(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  const size = Math.abs(value);
  if (size < SMALLEST || size >= LARGEST) return [mantissa, power];
  return [Number(`${mantissa}e${power}`).toFixed(Math.max(digits - 1 - power, 0)), 0];
}

/** @param {string} digits @param {number} power */
const withPower = (digits, power) => minus(digits) + (power ? TIMES + powerOf(10, power) : "");

/** @param {number | null | undefined} value  missing or not finite */
function withoutDigits(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return NONE;
  return value > 0 ? "∞" : "−∞";
}

/** @param {number | null | undefined} value @returns {value is number} */
function isFinite(value) {
  return Number.isFinite(value);
}

/** Returns the displayed name of a class; class -1 gets a true minus sign. @param {string} label */
export const labelText = (label) => label.replace(/^-(?=\d)/, "−");

/** Formats a count with grouped digits; -0, which an axis may start with, becomes 0. @param {number} count */
export const thousands = (count) => (count || 0).toLocaleString("en");

/**
 * Formats a setting: without trailing zeros, whole numbers in full, words unchanged.
 * @param {number | string | null | undefined} value
 */
export function short(value, digits = 3) {
  if (typeof value === "string") return value;
  if (!isFinite(value)) return withoutDigits(value);
  if (Number.isInteger(value) && Math.abs(value) < WHOLE) return minus(String(value));
  const [padded, power] = significant(value, digits);
  const mantissa = padded.replace(/\.0+$|(\.\d*?)0+$/, "$1");
  return power && Math.abs(Number(mantissa)) === 1 ? minus(mantissa.slice(0, -1)) + powerOf(10, power) : withPower(mantissa, power);
}

/**
 * Formats a measurement with a fixed number of digits, so that a column of changing numbers keeps its shape.
 * @param {number | null | undefined} value
 */
export function steady(value, digits = 3) {
  if (!isFinite(value)) return withoutDigits(value);
  return value === 0 ? "0" : withPower(...significant(value, digits));
}

/**
 * Formats a share as a percentage; 0 % and 100 % are exact.
 * @param {number | null | undefined} share
 */
export function percent(share, digits = 3) {
  if (!isFinite(share)) return NONE;
  return `${share === 0 || share === 1 ? short(100 * share) : steady(100 * share, digits)} %`;
}

/** Formats a share as a number; 1.00 means exactly 1. @param {number | null | undefined} share */
export const rate = (share) =>
  (isFinite(share) && share < 1 && share >= 0.9995 ? steady(Math.floor(1e4 * share) / 1e4, 4) : steady(share));

/** Formats a power of `base`, such as 2⁻⁸. @param {number} base @param {number} exponent */
export const powerOf = (base, exponent) =>
  base + String(exponent).replace("-", "⁻").replace(/\d/g, (digit) => RAISED[Number(digit)]);

/**
 * Formats a change with its sign: two significant digits, but no decimal place that both numbers lack.
 * @param {number | null | undefined} before @param {number | null | undefined} now
 */
export function change(before, now) {
  if (!isFinite(before) || !isFinite(now)) return NONE;
  if (now === before) return "±0";
  const size = Math.abs(now - before);
  const written = [before, now].map((value) => significant(value, 3));
  const places = Math.max(...written.map(([text]) => text.split(".")[1]?.length ?? 0));
  const shown = written.some(([, power]) => power)
    ? short(size, 2)
    : size.toFixed(Math.min(places, Math.max(0, 1 - Math.floor(Math.log10(size)))));
  return Number(shown) === 0 ? "≈0" : `${now > before ? "+" : "−"}${shown}`;
}

/** @param {number | null | undefined} seconds */
export function elapsed(seconds) {
  if (!isFinite(seconds)) return NONE;
  return seconds < 1 ? `${short(seconds * 1000, 2)} ms` : `${short(seconds)} s`;
}

/** Formats the content of a number field: exact if that fits into seven characters, else with three digits. @param {number} value */
export function field(value) {
  const rounded = Number(value.toPrecision(3));
  return [value, rounded].map(String).find((text) => text.length <= 7) ?? rounded.toExponential();
}

/** @param {number} count @param {string} one */
export function plural(count, one, several = `${one}s`) {
  return `${thousands(count)} ${count === 1 ? one : several}`;
}

/** Returns the time since a moment, as "m:ss". @param {number} begun  in milliseconds, as of Date.now */
export function minutesSince(begun) {
  const seconds = Math.floor((Date.now() - begun) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
