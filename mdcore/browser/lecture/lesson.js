/**
 * A lesson as Python sends it, and the answers of a room.
 *
 * @import { TextFile } from "../shell/menus.js"
 *
 * @typedef {{kind: "choice", text: string, options: string[], answer: number}} ChoiceQuestion
 * @typedef {{kind: "curve", text: string, method: string, axis: [number, number]}} CurveQuestion
 * @typedef {{kind: "points", text: string, class: number}} PointsQuestion
 * @typedef {{kind: "runs", text: string, param: string, symbol: string, statistic: string, measured: string, low: number, high: number,
 *   log?: boolean}} RunsQuestion
 * @typedef {ChoiceQuestion | CurveQuestion | PointsQuestion | RunsQuestion} Question
 *
 * @typedef {object} Step
 * @property {string} title
 * @property {string[]} text
 * @property {string} [formula]  as MathML
 * @property {string} state
 * @property {{state: string, text: string[], try: string[]}} reveal  try: what to try with the picture
 * @property {Question} [question]
 * @property {string[]} views
 * @property {string[]} keep
 * @property {string} [page]
 * @property {Papers} [papers]
 *
 * @typedef {{ours: string | null, splits: string, printed: string | null, within: boolean | null}} PaperCell
 * @typedef {{name: string, what: string, methods: string[], higher: string}} PaperTable
 * @typedef {{head: string, marks: string, tables: PaperTable[], rows: {name: string, cells: (PaperCell | null)[]}[],
 *   met: {title: string, source: string, met: number, of: number}[], files: TextFile[]}} Papers  our results beside the published ones
 *
 * @typedef {{title: string, steps: Step[], error?: string}} Lesson
 * @typedef {{views: string[], keep: string[], editing: boolean, papers?: Papers}} Shown  of the stage
 *
 * @typedef {{value: number, of: {[method: string]: number}}} Run
 * @typedef {{counts: number[], curves: number[][], median?: number[], points?: [number, number][]}} Round
 * @typedef {{step: number, results?: Round[], runs?: Run[]}} RoomState
 */

export {};
