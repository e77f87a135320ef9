/**
 * Distributions as step functions: exact cumulative curves of sorted margins, and histograms.
 *
 *
 * @typedef {{name: string, key: string, color: string, split: Split, ordered: ArrayLike<number>}} Curve
 * @typedef {{count: number, of: number}} Share
 * @typedef {{name: string, color: string, train?: Share, test?: Share}} Reading
 */

/**
 * Returns how many of the sorted margins are <= t.
 * @param {ArrayLike<number>} ordered @param {number} t
 */
export function countUpTo(ordered, t) {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordered[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Makes the steps the current path, and merges risers closer than a quarter pixel.
 * @param {Pen} context @param {Frame} frame @param {ArrayLike<number>} ordered
 */
export function stepPath(context, frame, ordered) {
  const count = ordered.length;
  let x = frame.left;
  let y = frame.bottom;
  let i = 0;
  while (i < count && ordered[i] < frame.x.low) i++;
  if (i) y = frame.toY(i / count);
  context.moveTo(x, y);
  for (; i < count && ordered[i] <= frame.x.high; i++) {
    const next = frame.toX(ordered[i]);
    if (next - x > 0.25) {
      context.lineTo(x, y);
      context.lineTo(next, y);
      x = next;
    }
    y = frame.toY((i + 1) / count);
  }
  context.lineTo(x, y);
  context.lineTo(frame.right, y);
}

/**
 * Makes the outline of a histogram the current path: open for a line, closed for a filled shape.
 * @param {Pen} context @param {Frame} frame @param {number[]} edges @param {ArrayLike<number>} counts
 */
export function binSteps(context, frame, edges, counts) {
  context.beginPath();
  context.moveTo(frame.toX(edges[0]), frame.bottom);
  for (let i = 0; i < counts.length; i++) {
    const y = frame.toY(counts[i]);
    context.lineTo(frame.toX(edges[i]), y);
    context.lineTo(frame.toX(edges[i + 1]), y);
  }
  context.lineTo(frame.toX(edges[counts.length]), frame.bottom);
}

/**
 * @param {Curve[]} curves
 * @param {number} t
 */
export function readingsAt(curves, t) {
  /** @type {Map<string, Reading>} */
  const methods = new Map();
  for (const { key, name, color, split, ordered } of curves) {
    const reading = methods.get(key) ?? { name, color };
    methods.set(key, { ...reading, [split]: { count: countUpTo(ordered, t), of: ordered.length } });
  }
  return [...methods.values()];
}
