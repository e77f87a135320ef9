import { h } from "./dom.js";

/** Below this width of the stage the data column is folded, above it stands beside the picture. */
const WIDE = 900;
const LEAST_HEIGHT = 620;
const BELOW = 10;

/** The rooms of the stage and their places; CSS decides the sizes. */
export function createLayout({ root, data, panels, split, table, footer }) {
  const histogram = h("div", { class: "ml-view", "data-testid": "histogram" });
  const cumulative = h("div", { class: "ml-view", "data-testid": "cumulative" });
  const views = h("div", { class: "ml-views" }, panels,
    h("div", { class: "ml-band" }, chart("Margins", histogram, split), chart("Cumulative margins", cumulative), table));
  const main = h("div", { class: "ml-main" }, views, footer);
  root.append(h("div", { class: "ml-frame" }, data, main), h("p", { class: "ml-waiting" }, "computing …"));
  let wide = null;
  data.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !wide && !event.defaultPrevented) data.open = false;
  });

  return {
    histogram,
    cumulative,
    views,
    place: (toolbar) => main.prepend(toolbar),

    /** The stage fills what is left of the window below its own top. */
    fit() {
      const top = root.getBoundingClientRect().top + window.scrollY;
      const height = Math.max(LEAST_HEIGHT, window.innerHeight - top - BELOW);
      root.style.setProperty("--ml-height", `${height}px`);
      const now = root.clientWidth >= WIDE && !root.classList.contains("ml-projector");
      if (now !== wide) data.open = now;
      wide = now;
    },

    toggleData(button) {
      data.open = !data.open;
      button.setAttribute("aria-expanded", String(data.open));
    },
  };
}

function chart(title, host, extra = null) {
  return h("section", { class: "ml-chart", "aria-label": title },
    h("div", { class: "ml-chart-head" }, h("h3", {}, title), extra),
    h("div", { class: "ml-view-frame" }, host));
}
