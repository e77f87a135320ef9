/** The examples that all views mark: those selected, and the one pointed at. A change of them has the views painted. */
export function createSelection(painter) {
  const selection = { rows: new Set(), hover: null };
  return {
    selection,
    select(rows) {
      selection.rows = new Set(rows);
      painter.ask();
    },
    hover(row) {
      if (row === selection.hover) return;
      selection.hover = row;
      painter.ask();
    },
    /** Without those that another sample does not have. */
    keepSelected(rows) {
      if (selection.rows.size === 0 && selection.hover === null) return;
      const known = new Set(rows);
      selection.rows = new Set([...selection.rows].filter((row) => known.has(row)));
      if (!known.has(selection.hover)) selection.hover = null;
    },
  };
}
