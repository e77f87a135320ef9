/**
 * The norms in which learners measure their margins: dual to the p-norms they are given.
 *
 * @import { Learner } from "./scene.js"
 */

import { short } from "../shell/format.js";

/** @param {number} p */
const dual = (p) => (p === 1 ? Infinity : Number.isFinite(p) ? p / (p - 1) : 1);

/** Of each learner its norm, where not all have one; else nothing: margins of one norm can be compared. @param {Learner[]} race */
export function normsApart(race) {
  const norms = new Map(race.map(({ key, p }) => [key, `‖w‖ with q = ${short(dual(p))}`]));
  return new Set(norms.values()).size > 1 ? norms : new Map();
}
