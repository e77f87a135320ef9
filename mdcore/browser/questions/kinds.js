/**
 * The kinds of questions, one module each. `KINDS` is the only place that lists them all; the module of the same name in
 * mdcore/serving/lecture/questions checks and combines the answers.
 */

import { choice } from "./choice.js";
import { curve } from "./curve.js";
import { points } from "./points.js";
import { runs } from "./runs.js";

/** @type {{[kind: string]: Kind}} */
export const KINDS = { choice, curve, points, runs };
