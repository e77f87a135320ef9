/**
 * The stage as its views and controls see it; the path scrubber implements the part that its views need.
 *
 * @import { Theme } from "../shell/theme.js"
 * @import { Message, Scene } from "./scene.js"
 *
 * @typedef {{[key: string]: string | number | null}} Patch  null removes a setting
 * @typedef {{rows: Set<number>, hover: number | null}} Selection
 *
 * @typedef {object} ViewStage  the part that views need
 * @property {Scene} scene  set before anything is drawn or touched
 * @property {Theme} theme
 * @property {boolean} projector
 * @property {number} [sharpness]  canvas pixels per CSS pixel, for printing
 * @property {string} tool
 * @property {Selection} selection
 * @property {(rows: Iterable<number>) => void} select
 * @property {(row: number | null) => void} hover
 * @property {(key: string) => any} value  a number for a numeric control, else text; null if unset
 * @property {(patch: Patch, options?: {commit?: boolean}) => void} change
 * @property {(text: string) => void} announce
 * @property {() => void} abandon
 * @property {(name: string) => void} touch
 *
 * @typedef {object} ControlStage  the additional part that controls need
 * @property {Message} scene
 * @property {string} query
 * @property {Map<string, string>} map
 * @property {(tool: string) => void} setTool
 * @property {(message: string) => void} complain
 * @property {(message: string) => void} remark
 * @property {() => void} fit  fits the axes to the picture on screen
 *
 * @typedef {ViewStage & ControlStage} Stage
 *
 * @typedef {object} Setters  the functions by which a component sends to Streamlit
 * @property {(name: string, value: unknown) => void} setStateValue
 * @property {(name: string, value: unknown) => void} setTriggerValue
 */

export {};
