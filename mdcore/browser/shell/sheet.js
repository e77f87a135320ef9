/** Loads a style sheet of `css/` from wherever Python serves it. A missing sheet does not block the page. @param {string} name */
export function loadSheet(name) {
  const href = new URL(`../css/${name}`, import.meta.url).href;
  let link = /** @type {HTMLLinkElement | null} */ (document.head.querySelector(`link[href="${href}"]`));
  if (link?.sheet) return Promise.resolve();
  if (!link) {
    link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    document.head.append(link);
  }
  return new Promise((resolve) => {
    link.addEventListener("load", resolve, { once: true });
    link.addEventListener("error", resolve, { once: true });
  });
}
