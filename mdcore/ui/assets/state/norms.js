/** The norms by which methods divide their margins: dual to the p-norms they are given, 2 where none is. */

import { short } from "../shell/format.js";

/** @param {number} p */
const dual = (p) => (p === 1 ? Infinity : Number.isFinite(p) ? p / (p - 1) : 1);

/**
 * Of each its norm, where not all have one; else nothing: margins of one norm can be compared.
 * @param {readonly {key: string, p?: number}[]} measured
 * @returns {Map<string, string>}
 */
export function normsApart(measured) {
  const norms = new Map(measured.flatMap(({ key, p }) => (p === undefined ? [] : [[key, `‖w‖ with q = ${short(dual(p))}`]])));
  return new Set(norms.values()).size > 1 ? norms : new Map();
}
