/** The norms by which methods divide their margins: dual to their p-norms, 2 by default. */

import { short } from "../shell/format.js";

/** @param {number} p */
const dual = (p) => (p === 1 ? Infinity : Number.isFinite(p) ? p / (p - 1) : 1);

/**
 * Returns the norm of each method if the norms differ; else nothing, as margins in one norm can be compared.
 * @param {readonly {key: string, p?: number}[]} measured
 * @returns {Map<string, string>}
 */
export function normsApart(measured) {
  const norms = new Map(measured.flatMap(({ key, p }) => (p === undefined ? [] : [[key, `‖w‖ with q = ${short(dual(p))}`]])));
  return new Set(norms.values()).size > 1 ? norms : new Map();
}
