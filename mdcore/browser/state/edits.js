/**
 * The text of edits, `a_<x>_<y>_<label>~m_<row>_<x>_<y>~f_<row>~d_<row>`, in unscaled feature units.
 *
 * @typedef {Point & {perPixelX: number, perPixelY: number}} Place
 *
 * @typedef {object} PendingEdits
 * @property {Map<number, Point>} moved
 * @property {Set<number>} flipped
 * @property {Set<number>} dropped
 * @property {(Point & {label: number})[]} added
 */

/** @param {string | null} text */
const itemsOf = (text) => (text ? String(text).split("~") : []);

/** @param {string} item @param {string} kinds @param {number} row */
const changesRow = (item, kinds, row) => kinds.includes(item[0]) && Number(item.split("_")[1]) === row;

/**
 * Formats a value with just enough decimals to distinguish adjacent pixels, because the text is part of a URL.
 * @param {number} value @param {number} resolution
 */
function short(value, resolution) {
  const decimals = Math.min(12, Math.max(0, Math.ceil(-Math.log10(resolution))));
  return String(Number(value.toFixed(decimals)));
}

/** @param {Place} place */
const words = (place) => `${short(place.x, place.perPixelX)}_${short(place.y, place.perPixelY)}`;

/** @param {string | null} text @param {Place} place @param {number} label */
export const addition = (text, place, label) => [...itemsOf(text), `a_${words(place)}_${label}`].join("~");

/**
 * Adds a move, which is absolute and replaces any earlier move of its row.
 * @param {string | null} text @param {number} row @param {Place} place
 */
export function movement(text, row, place) {
  const others = itemsOf(text).filter((item) => !changesRow(item, "m", row));
  return [...others, `m_${row}_${words(place)}`].join("~");
}

/** Adds a flip; a second flip removes the first. @param {string | null} text @param {number} row */
export function flip(text, row) {
  const others = itemsOf(text).filter((item) => !changesRow(item, "f", row));
  const flipped = others.length === itemsOf(text).length;
  return (flipped ? [...others, `f_${row}`] : others).join("~");
}

/**
 * Adds a deletion. A deleted added point keeps its `a` item, so that the rows after it keep their numbers.
 * @param {string | null} text @param {number} row
 */
export const removal = (text, row) =>
  [...itemsOf(text).filter((item) => !changesRow(item, "mf", row)), `d_${row}`].join("~");

/**
 * Returns edits that the picture does not show yet.
 * @param {string | null} wanted
 * @param {string | null} drawn
 * @returns {null | {moved: Map<number, {x: number, y: number}>, flipped: Set<number>, dropped: Set<number>,
 *  added: {x: number, y: number, label: number}[]}} in unscaled units
 */
export function pendingEdits(wanted, drawn) {
  if ((wanted ?? "") === (drawn ?? "")) return null;
  const known = itemsOf(drawn);
  /** @type {PendingEdits} */
  const pending = { moved: new Map(), flipped: new Set(), dropped: new Set(), added: [] };
  for (const item of itemsOf(wanted)) {
    const at = known.indexOf(item);
    if (at >= 0) {
      known.splice(at, 1);
      continue;
    }
    const [kind, ...rest] = item.split("_");
    const numbers = rest.map(Number);
    if (kind === "m") pending.moved.set(numbers[0], { x: numbers[1], y: numbers[2] });
    else if (kind === "f") pending.flipped.add(numbers[0]);
    else if (kind === "d") pending.dropped.add(numbers[0]);
    else if (kind === "a") pending.added.push({ x: numbers[0], y: numbers[1], label: numbers[2] });
  }
  for (const item of known) if (item.startsWith("f_")) pending.flipped.add(Number(item.slice(2)));
  return pending;
}
