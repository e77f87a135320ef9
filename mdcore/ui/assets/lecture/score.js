/** The area between two cumulative curves, in units of margin; both by their quantiles at equal levels. */

/** Quantiles of ordered margins, between neighbours by straight lines. @param {ArrayLike<number>} ordered @param {number} levels */
export function quantiles(ordered, levels) {
  return Array.from({ length: levels }, (_, at) => {
    const place = (at / (levels - 1)) * (ordered.length - 1);
    const below = Math.floor(place);
    const above = Math.min(ordered.length - 1, below + 1);
    return ordered[below] + (place - below) * (ordered[above] - ordered[below]);
  });
}

/** @param {number[]} drawn @param {number[]} truth */
export function areaBetween(drawn, truth) {
  const gaps = drawn.map((value, at) => Math.abs(value - truth[at]));
  return gaps.slice(1).reduce((sum, gap, at) => sum + (gap + gaps[at]) / 2, 0) / (gaps.length - 1);
}
