/**
 * Sliders of a page that move its pictures together. Some are set by hand; the others stand where Python puts them, and
 * one that follows another is put anew whenever that one is moved.
 *
 * @import { Domain, Slider } from "./scene.js"
 *
 * @typedef {Slider & Domain & SliderWords & {name: string, value: number, set: boolean, follows: string | null}} PageSlider
 *
 * @typedef {object} SliderWords
 * @property {string} label
 * @property {string} help
 * @property {string} legal  what may be typed
 * @property {string} note  where its value comes from
 * @property {string} back  what leads back from a value set by hand; none where it is empty
 *
 * @typedef {{[name: string]: number}} SetValues
 */

/** @param {PageSlider[]} sliders @returns {SetValues} */
export const setValues = (sliders) => Object.fromEntries(sliders.filter(({ set }) => set).map(({ name, value }) => [name, value]));

/**
 * What is set once a slider is moved; null lets it go.
 * @param {PageSlider[]} sliders @param {SetValues} values @param {string} name @param {number | null} value
 * @returns {SetValues}
 */
export function moved(sliders, values, name, value) {
  const following = sliders.filter(({ follows }) => follows === name).map((slider) => slider.name);
  const kept = Object.entries(values).filter(([other]) => other !== name && !following.includes(other));
  return Object.fromEntries(value === null ? kept : [...kept, [name, value]]);
}

/** @param {SetValues} values */
export const asQuery = (values) => new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString();
