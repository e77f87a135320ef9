/**
 * Values of the sliders of a page. The user sets some; Python chooses the others, and a slider that follows another is
 * reset whenever that one moves.
 *
 * @typedef {Slider & Domain & SliderWords & {name: string, value: number, set: boolean, follows: string | null}} PageSlider
 *
 * @typedef {object} SliderWords
 * @property {string} label
 * @property {string} help
 * @property {string} legal  the legal values
 * @property {string} note  the origin of its value
 * @property {string} back  the label of the button that undoes the user's value; "" for no button
 *
 * @typedef {{[name: string]: number}} SetValues
 */

/** @param {PageSlider[]} sliders @returns {SetValues} */
export const setValues = (sliders) => Object.fromEntries(sliders.filter(({ set }) => set).map(({ name, value }) => [name, value]));

/**
 * Returns the user's values after a slider has moved; null removes its value.
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
