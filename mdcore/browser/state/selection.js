/**
 * The examples that all views mark: the selected ones and the hovered one. A change repaints the views.
 * @param {{ask: () => void}} painter
 */
export function createSelection(painter) {
  /** @type {Picked} */
  const selection = { rows: new Set(), hover: null };
  return {
    selection,
    /** @param {Iterable<number>} rows */
    select(rows) {
      selection.rows = new Set(rows);
      painter.ask();
    },
    /** @param {number | null} row */
    hover(row) {
      if (row === selection.hover) return;
      selection.hover = row;
      painter.ask();
    },
    /** Deselects examples that a new sample does not contain. @param {Iterable<number>} rows */
    keepSelected(rows) {
      if (selection.rows.size === 0 && selection.hover === null) return;
      const known = new Set(rows);
      selection.rows = new Set([...selection.rows].filter((row) => known.has(row)));
      if (selection.hover !== null && !known.has(selection.hover)) selection.hover = null;
    },
  };
}
