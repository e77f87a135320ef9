/**
 * @typedef {Node | string | null | undefined} Child
 */

/**
 * Creates an element: `h("button", {class: "ml-x", onclick: f}, "text", child)`.
 * Properties that start with "on" are listeners, `style` can be an object of custom properties, and null is left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{[name: string]: any}} props
 * @param {...(Child | (Child | Child[])[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * Creates an element of an SVG drawing.
 * @param {string} tag @param {{[name: string]: string | number}} attributes @param {...(string | Node)} children
 */
export function drawn(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Sets the text of an element if it differs, so that an unchanged cell costs no layout. @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Element} element @param {string} name @param {string} value */
export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Returns an `id` that is unique on the page, even with several stages. @param {string} prefix */
export function uniqueId(prefix) {
  return `${prefix}-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
}

/**
 * @typedef {{[Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void}} Listeners
 */

/**
 * Adds listeners by name.
 * @param {HTMLElement} element @param {Listeners} listeners
 * @returns {() => void} removes them
 */
export function listen(element, listeners) {
  const all = /** @type {[string, EventListener][]} */ (Object.entries(listeners));
  for (const [name, listener] of all) element.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of all) element.removeEventListener(name, listener);
  };
}
