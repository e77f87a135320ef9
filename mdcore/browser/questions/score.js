/** Quantiles, and the area between two cumulative curves given by their quantiles. */

/** Returns a quantile of sorted numbers, by linear interpolation. @param {ArrayLike<number>} ordered @param {number} level */
export function quantile(ordered, level) {
  const place = level * (ordered.length - 1);
  const below = Math.floor(place);
  const above = Math.min(ordered.length - 1, below + 1);
  return ordered[below] + (place - below) * (ordered[above] - ordered[below]);
}

/** @param {ArrayLike<number>} ordered @param {number} levels */
export const quantiles = (ordered, levels) => Array.from({ length: levels }, (_, at) => quantile(ordered, at / (levels - 1)));

/** @param {number[]} values */
export const rangeOf = (values) => ({ low: Math.min(...values), high: Math.max(...values) });

/**
 * Returns the area between two curves in units of margin; both are given by quantiles at equally spaced levels.
 * @param {number[]} drawn @param {number[]} truth
 */
export function areaBetween(drawn, truth) {
  const gaps = drawn.map((value, at) => Math.abs(value - truth[at]));
  return gaps.slice(1).reduce((sum, gap, at) => sum + (gap + gaps[at]) / 2, 0) / (gaps.length - 1);
}
