/**
 * The stage as its views and controls see it; the path scrubber gives its views one of its own.
 *
 * @import { Theme } from "../shell/theme.js"
 * @import { Message, Scene } from "./scene.js"
 *
 * @typedef {{[key: string]: string | number | null}} Patch  null takes a setting away
 * @typedef {{rows: Set<number>, hover: number | null}} Selection
 *
 * @typedef {object} ViewStage  what a view of the picture needs of it
 * @property {Scene} scene  nothing is drawn or touched before there is one
 * @property {Theme} theme
 * @property {boolean} projector
 * @property {number} [sharpness]  pixels of a canvas to one of the page, where it is to be printed
 * @property {string} tool
 * @property {Selection} selection
 * @property {(rows: Iterable<number>) => void} select
 * @property {(row: number | null) => void} hover
 * @property {(key: string) => any} value  a number where the control is one, else text; null where nothing is set
 * @property {(patch: Patch, options?: {commit?: boolean}) => void} change
 * @property {(text: string) => void} announce
 * @property {() => void} abandon
 * @property {(name: string) => void} touch
 *
 * @typedef {object} ControlStage  what a control needs too
 * @property {Message} scene
 * @property {string} query
 * @property {Map<string, string>} map
 * @property {(tool: string) => void} setTool
 * @property {(message: string) => void} complain
 * @property {(message: string) => void} remark
 * @property {() => void} fit  axes held from picture to picture, fitted to the one on screen
 *
 * @typedef {ViewStage & ControlStage} Stage
 *
 * @typedef {object} Setters  what Streamlit lets a component tell
 * @property {(name: string, value: unknown) => void} setStateValue
 * @property {(name: string, value: unknown) => void} setTriggerValue
 */

export {};
