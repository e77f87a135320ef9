/** The text of hand edits, `a_<x>_<y>_<label>~m_<row>_<x>_<y>~f_<row>~d_<row>`, in raw feature units. */

const itemsOf = (text) => (text ? String(text).split("~") : []);
const changesRow = (item, kinds, row) => kinds.includes(item[0]) && Number(item.split("_")[1]) === row;

/** Decimals that tell two neighbouring pixels apart and no more: the text is part of a URL. */
function short(value, resolution) {
  const decimals = Math.min(12, Math.max(0, Math.ceil(-Math.log10(resolution))));
  return String(Number(value.toFixed(decimals)));
}

/** @param {{x: number, y: number, perPixelX: number, perPixelY: number}} place in raw units */
const words = (place) => `${short(place.x, place.perPixelX)}_${short(place.y, place.perPixelY)}`;

export const addition = (text, place, label) => [...itemsOf(text), `a_${words(place)}_${label}`].join("~");

/** A move is absolute: it replaces every earlier one of its row. */
export function movement(text, row, place) {
  const others = itemsOf(text).filter((item) => !changesRow(item, "m", row));
  return [...others, `m_${row}_${words(place)}`].join("~");
}

/** A second flip takes the first one back. */
export function flip(text, row) {
  const others = itemsOf(text).filter((item) => !changesRow(item, "f", row));
  const flipped = others.length === itemsOf(text).length;
  return (flipped ? [...others, `f_${row}`] : others).join("~");
}

/** An added point keeps its `a` item, so that the rows after it keep their numbers. */
export const removal = (text, row) =>
  [...itemsOf(text).filter((item) => !changesRow(item, "mf", row)), `d_${row}`].join("~");

/**
 * What the user did that the picture does not show yet.
 * @returns {null | {moved: Map<number, {x: number, y: number}>, flipped: Set<number>, dropped: Set<number>,
 *   added: {x: number, y: number, label: number}[]}} in raw units
 */
export function pendingEdits(wanted, drawn) {
  if ((wanted ?? "") === (drawn ?? "")) return null;
  const known = itemsOf(drawn);
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
