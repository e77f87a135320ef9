/**
 * Types of the messages from Python. `make lint` checks messages of every page against them; `mdcore/serving/stage/arrays.py`
 * names the arrays.
 *
 * @typedef {"train" | "test"} Split
 * @typedef {{low: number, high: number}} Range
 * @typedef {Range & {label: string}} Axis
 * @typedef {{mean: number | null, variance: number | null, semivariance: number | null, min: number | null, accuracy: number | null}} Stats
 * @typedef {{train: Stats, test: Stats}} SplitStats
 * @typedef {Range & {label: string, strength: number | null}} Mark  a parameter, drawn where it acts
 *
 * @typedef {object} Badge  facts from the solver, and the counts of an online learner
 * @property {boolean} converged
 * @property {number | null} gap
 * @property {number} iterations
 * @property {number} seconds
 * @property {number} support
 * @property {string} supportLabel
 * @property {number | null} objective
 * @property {string} fit  whether the kernel is exact and why, with estimated seconds; empty for few rows
 * @property {number} [landmarks]  whose span replaces the feature space
 * @property {number | null} [exactGap]  bound on the gap to the exact kernel problem; null: no bound; absent: not requested
 * @property {number} [exactSure]  the probability with which the bound holds
 * @property {number} [updates]
 * @property {number} [mistakes]
 *
 * @typedef {object} PanelHead
 * @property {string} key
 * @property {string} name
 * @property {string} color
 * @property {string} message
 * @property {Mark[]} marks
 * @property {SplitStats} stats
 * @property {{name: string, value: number, params: string[]}[]} terms  of the objective; empty if it is not a sum
 *
 * @typedef {object} PanelPicture
 * @property {"ok" | "underway" | "unconverged" | "overbudget"} status
 * @property {Badge} badge
 * @property {string} ruler  the unit of the margins, equal for margins that can be compared
 * @property {{x: Axis, y: Axis} | null} window  of signed distances; null if all share the window of the plane
 * @property {string} note
 * @property {number[]} levels
 * @property {number} fieldScale
 * @property {number} grid
 * @property {boolean} regions
 * @property {boolean} votes
 *
 * @typedef {{status: "failed"} & {[Name in Exclude<keyof PanelPicture, "status">]?: undefined}} NoPicture
 * @typedef {PanelHead & (PanelPicture | NoPicture)} Panel  of a method; the message says why there is no picture
 *
 * @typedef {{key: string, name: string, color: string, ruler: string, stats: SplitStats, grid: number, fieldScale: number}} PinnedPanel
 * @typedef {{slot: string, label: string, query: string, panels: PinnedPanel[]}} Pin
 * @typedef {{row: number, turned: {[method: string]: number}}} Probe
 *
 * @typedef {{x: number[], y: number[], note: string}} RawScale  shift and scale from the picture to unscaled features
 * @typedef {{kind: "plane" | "components", note: string, x: Axis, y: Axis, raw: RawScale | null}} SharedPlane
 * @typedef {SharedPlane | {kind: "distance", note: string, x: null, y: null, raw: null}} Plane
 *
 * @typedef {{
 *   x: Float32Array, y: Float32Array, label: Uint8Array, part: Uint8Array, row: Int32Array,
 *   [name: `x:${string}`]: Float32Array | undefined,
 *   [name: `y:${string}`]: Float32Array | undefined,
 *   [name: `margin:${string}`]: Float64Array | undefined,
 *   [name: `flag:${string}`]: Uint8Array | undefined,
 *   [name: `predicted:${string}`]: Uint8Array | undefined,
 *   [name: `field:${string}`]: Int16Array | undefined,
 *   [name: `region:${string}`]: Uint8Array | undefined,
 *   [name: `certainty:${string}`]: Uint8Array | undefined,
 *   [name: `count:${string}`]: Int32Array | undefined,
 *   [name: `curve:${string}`]: Float64Array | undefined,
 *   [name: `pin${string}:field:${string}`]: Int16Array | undefined,
 *   [name: `pin${string}:curve:${string}`]: Float64Array | undefined,
 *   [name: `pin${string}:count:${string}`]: Int32Array | undefined,
 *   [name: `share:${string}`]: Float64Array | undefined,
 *   [name: `race:${string}`]: Float32Array | undefined,
 *   [name: `weights:${string}`]: Float32Array | undefined,
 * }} SceneArrays
 *
 * @typedef {object} Learner  the state of one learner, on the online page
 * @property {string} key
 * @property {string} name
 * @property {string} color
 * @property {number} step
 * @property {number} end
 * @property {boolean} settled
 * @property {boolean} ended
 * @property {number} updates
 * @property {number} mistakes
 * @property {number} margin
 * @property {number} p
 * @property {number | null} limit
 * @property {number | null} gap
 * @property {string} reason
 * @property {number | null} share
 * @property {boolean} bounded
 * @property {number | null} bound
 * @property {number | null} proved
 * @property {boolean} vacuous
 *
 * @typedef {object} Clock
 * @property {number} step
 * @property {number} end
 * @property {number | null} previous
 * @property {number | null} next
 * @property {number} examples
 * @property {number} pass
 * @property {number | null} row
 *
 * @typedef {{row: number | null, now: boolean, pair: number[][] | null, old: number[] | null}} StreamMarks
 * @typedef {{key: string, name: string, color: string, of: "features" | "examples", norm: number, b: number, zero: number}} Weights
 * @typedef {{z: number[], old: number[] | null, theta: number[] | null, least: number | null, kept: boolean}} Relaxed
 * @typedef {{key: string, name: string, color: string, p: number, q: number, w: number[] | null, relaxed: Relaxed | null}} Balls
 *
 * @typedef {object} OnlineScene
 * @property {Clock | null} [clock]
 * @property {Learner[]} [race]
 * @property {{[method: string]: StreamMarks}} [stream]
 * @property {Weights[]} [weights]
 * @property {number | null} [relevant]
 * @property {Balls | null} [balls]
 *
 * @typedef {{shown: number, of: number}} RowCount  training rows of the picture; a preview if `of` is larger
 *
 * @typedef {{train: Stats, test: Stats, votes: boolean}} Reached
 * @typedef {{classes: number, methods: {[method: string]: Reached}}} ClassNumber
 * @typedef {{edges: number[], now: number | null, numbers: ClassNumber[], waits: boolean}} Growth
 *
 * @typedef {object} Bound  Theorem 1 of the mcODM paper
 * @property {{name: string, value: number}[]} terms
 * @property {number} value
 * @property {boolean} vacuous
 * @property {number} norm
 * @property {number} radius
 * @property {number} classes
 * @property {number} examples
 *
 * @typedef {object} MulticlassScene
 * @property {{[method: string]: {train: Stats[], test: Stats[]}}} [byClass]
 * @property {{path: number[], gap: number, converged: boolean} | null} [outer]
 * @property {Bound | null} [bound]
 * @property {Growth} [growth]
 * @property {boolean} [unfinished]
 *
 * @typedef {{name: string, theorem: string, value: number | null, vacuous: boolean}} ToldBound
 * @typedef {{bounds?: ToldBound[]}} LectureScene
 *
 * @typedef {object} Picture  the data of runs that the views draw
 * @property {string[]} methods
 * @property {string[]} classes
 * @property {string} edits  made by hand; "" if there are none
 * @property {boolean} canEdit
 * @property {Plane} plane
 * @property {{train: number, test: number}} split
 * @property {RowCount} rows
 * @property {{edges: number[], held: boolean}} histogram  held: the axis is that of the previous picture, perhaps extended
 * @property {{label: string, train: number | null, test: number | null}} majority
 * @property {Panel[]} panels
 * @property {string} query
 * @property {{[key: string]: string | number | boolean | null}} values
 * @property {{[key: string]: string | number | boolean | null}} drawn
 * @property {Pin[]} pins
 * @property {Probe | null} probe
 * @property {SceneArrays} arrays
 *
 * @typedef {object} StagePicture
 * @property {string} page
 * @property {string} source
 * @property {string} sentence
 * @property {string[]} charts
 * @property {string[]} offered
 * @property {number} chips
 * @property {string[]} lead
 * @property {boolean} several
 * @property {string} opening
 * @property {string} settings
 * @property {object} last  what the next picture takes over, to be sent with its request
 *
 * @typedef {object} Heading  fields of every message, including refusals
 * @property {number} id
 * @property {boolean} heard  whether the session of the page knows of this request
 * @property {{message: string, key: string | null} | null} error
 * @property {string} catalogHash
 * @property {RawCatalog} [catalog]
 * @property {object} [table]
 * @property {{name: string, kind: string, text: string}} [file]
 *
 * @typedef {Picture & OnlineScene & MulticlassScene & LectureScene} Scene  the data that the views draw, all that a scrubber frame has
 * @typedef {Scene & Required<OnlineScene>} RaceScene  on the online page
 * @typedef {Scene & Required<MulticlassScene>} ClassScene  on the page of several classes
 * @typedef {Scene & StagePicture & Heading} Message
 *
 * @typedef {object} Control  a setting as it is drawn; a number adds its slider and its domain
 * @property {string} name
 * @property {string} symbol
 * @property {number | string | null} default
 * @property {string} help
 * @property {string} group
 *
 * @typedef {{kind: "choice", options: (string | number)[], legal?: undefined, grid?: undefined, words?: undefined}} ChoiceKind
 * @typedef {{kind: "number", legal: string, grid: number[], words: string[], options?: undefined}} NumberKind
 * @typedef {Control & ChoiceKind} Choice
 * @typedef {Control & Domain & Slider & NumberKind} NumberControl
 * @typedef {Choice | NumberControl} AnyControl
 *
 * @typedef {object} Domain  a null end is infinite, and may be included
 * @property {number | null} legalLow
 * @property {number | null} legalHigh
 * @property {boolean} openLow
 * @property {boolean} openHigh
 * @property {boolean} integer
 *
 * @typedef {object} Slider
 * @property {number} low
 * @property {number} high
 * @property {boolean} log
 * @property {boolean} zero
 * @property {number | null} step
 * @property {boolean} integer
 *
 * @typedef {object} Source
 * @property {string} key
 * @property {string} title
 * @property {string} summary
 * @property {boolean} planar
 * @property {AnyControl[]} options
 * @property {{[name: string]: string | number}} defaults
 * @property {string} opens  a state to open with, or ""
 * @property {boolean} [own]
 *
 * @typedef {{key: string, name: string, color: string, summary: string, latex: string, limits: string, params: AnyControl[]}} Method
 * @typedef {{shape: string, light: string, dark: string}} ClassMark
 * @typedef {{title: string, query: string, words: string}} Example
 * @typedef {{sources: Source[], methods: Method[], common: AnyControl[], classMarks: ClassMark[], examples: Example[],
 *   local: string[]}} RawCatalog
 */

export {};
