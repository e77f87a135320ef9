/** Numbers as text: three significant digits, a real minus sign. The exact value belongs into a title. */

const NONE = "–";

export function short(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return NONE;
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e5) {
    return minus(value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e"));
  }
  return minus(String(Number(value.toPrecision(digits))));
}

/** The same with a fixed count of digits, so that a column of changing numbers keeps its shape. */
export function steady(value, digits = 3) {
  if (typeof value !== "number" || !Number.isFinite(value) || value === 0) return short(value, digits);
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e5) return minus(value.toExponential(digits - 1).replace("e+", "e"));
  return size >= 10 ** digits ? short(value, digits) : minus(value.toPrecision(digits));
}

export function signed(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) return NONE;
  if (value === 0) return "±0";
  return value > 0 ? `+${short(value, 2)}` : short(value, 2);
}

export function duration(seconds) {
  if (typeof seconds !== "number") return NONE;
  return seconds < 1 ? `${short(seconds * 1000, 2)} ms` : `${short(seconds, 3)} s`;
}

/** What a number field holds: exact while that fits into its seven places, three digits otherwise. */
export function field(value) {
  const rounded = Number(value.toPrecision(3));
  return [value, rounded].map(String).find((text) => text.length <= 7) ?? rounded.toExponential();
}

export function plural(count, one, several = `${one}s`) {
  return `${count} ${count === 1 ? one : several}`;
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A power of `base`: 2⁻⁸ says more than 0.00391. */
export const power = (base, exponent) => base + String(exponent).replace("-", "⁻").replace(/\d/g, (digit) => RAISED[digit]);

const minus = (text) => text.replace("-", "−").replace("e-", "e−");
