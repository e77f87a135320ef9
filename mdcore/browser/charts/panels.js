import { createBoundary } from "./boundary.js";
import { createControl } from "../controls/controls.js";
import { more } from "../controls/data_panel.js";
import { h, setAttribute, setText } from "../shell/dom.js";
import { elapsed, percent, plural, short, thousands } from "../shell/format.js";
import { wordInk } from "../shell/theme.js";

/**
 * @import { ControlWidget } from "../controls/controls.js"
 * @import { Catalog } from "../state/catalog.js"
 */

/** The number of sliders of a method that are always shown; the others are under "More". */
const IN_VIEW = 4;

/** Badges of solvers that have not converged. */
/** @type {{[status: string]: {fact: string, long: string}}} */
const UNDONE = {
  unconverged: { fact: "not converged", long: "Not converged: the solver reached its limit of iterations; the picture shows its best solution so far" },
  overbudget: { fact: "over budget", long: "Over budget, not converged: the solver was stopped to show the picture, which is its best solution so far" },
};

/**
 * Creates the row of boundary panels, one per method, each with a badge for its solver and its sliders.
 * @param {Stage} stage @param {(host: HTMLElement) => () => void} watch @param {(key: string) => void} fill
 */
export function createPanels(stage, watch, fill) {
  const element = h("div", { class: "ml-panels" });
  /** @type {Map<string, ReturnType<typeof createPanel>>} */
  let panels = new Map();

  return {
    element,
    get views() {
      return [...panels.values()].map(({ view }) => view);
    },
    get methods() {
      return [...panels.values()];
    },
    get controls() {
      return [...panels.values()].flatMap(({ controls }) => controls);
    },

    /**
     * Rebuilds the row, but keeps the panels of remaining methods, with their canvas and focus.
     * @param {Catalog} catalog @param {string[]} keys @param {boolean} fresh
     */
    build(catalog, keys, fresh) {
      const kept = fresh ? new Map() : panels;
      const next = new Map(keys.map((key) => [key, kept.get(key) ?? createPanel(catalog.method(key), stage, watch, fill)]));
      for (const [key, panel] of panels) {
        if (next.get(key) === panel) continue;
        panel.destroy();
        panel.element.remove();
      }
      panels = next;
      const wanted = [...next.values()].map((panel) => panel.element);
      if (wanted.some((child, at) => element.children[at] !== child)) element.replaceChildren(...wanted);
      this.align();
    },

    /** The largest number of slider rows under a panel. */
    get sliderRows() {
      return Math.max(...[...panels.values()].map(({ sliderRows }) => sliderRows));
    },

    /** Puts the same parameter on the same row in all panels if that takes no extra row. */
    align() {
      const shown = [...panels.values()].map(({ controls }) => controls.slice(0, IN_VIEW));
      for (const { list, rows } of rowsOf(shown)) list.forEach(({ element: row }, at) => row.style.setProperty("--ml-place", String(rows[at] + 1)));
    },

    /** Colours titles as the methods, adjusted to be readable in the theme. */
    paint() {
      for (const panel of panels.values()) panel.paint();
    },

    /** @param {Scene} scene */
    update(scene) {
      for (const panel of scene.panels) panels.get(panel.key)?.update(panel, scene.rows);
    },
  };
}

/**
 * Returns the row of each control for each list: symbols in several lists keep their place in the longest.
 * @param {ControlWidget[][]} lists
 * @returns {{list: ControlWidget[], rows: number[]}[]}
 */
function rowsOf(lists) {
  const longest = lists.reduce((best, list) => (list.length > best.length ? list : best));
  /** @param {ControlWidget} widget */
  const symbolOf = ({ control }) => control.symbol;
  return lists.map((list) => {
    const taken = list.map((one) => longest.findIndex((other) => symbolOf(other) === symbolOf(one)));
    const free = longest.map((_, row) => row).filter((row) => !taken.includes(row));
    return { list, rows: taken.map((row) => (row >= 0 ? row : free.shift() ?? 0)) };
  });
}

/** @param {Method} method @param {Stage} stage @param {(host: HTMLElement) => () => void} watch @param {(key: string) => void} fill */
function createPanel(method, stage, watch, fill) {
  const host = h("div", { class: "ml-view ml-boundary", "data-testid": "boundary", "data-method": method.key });
  const controls = method.params.map((control) => createControl(control, stage, method.name));
  const badge = h("p", { class: "ml-badge", tabindex: "0" });
  const score = h("span", { class: "ml-score" });
  const support = h("span", { class: "ml-support" });
  const note = h("p", { class: "ml-note" });
  const title = h("h2", { title: method.summary }, method.name);
  const sign = h("span", { class: "ml-sign", "aria-hidden": "true" });
  const facts = h("span", { class: "ml-facts" });
  const finish = h("button", {
    type: "button", class: "ml-finish", title: "Give the solvers of this picture up to 15 seconds together", hidden: true,
    onclick: () => stage.change({ "view.finish": 1 }, { commit: true }),
  }, "Finish");
  const back = h("button", { type: "button", class: "ml-button ml-back", title: "Show all panels again (Escape)", onclick: toggle }, "All panels");
  badge.append(sign, facts);
  const longest = Math.max(...method.params.map(({ symbol }) => symbol.length));
  const element = h("section", { class: "ml-panel", "aria-label": method.name, style: { "--ml-accent": method.color } },
    h("header", { class: "ml-panel-head" }, title, badge, finish, score, support, back),
    h("div", { class: "ml-view-frame" }, host),
    note,
    h("div", { class: "ml-params", role: "group", "aria-label": `${method.name}: parameters`, style: { "--ml-symbol-width": `${Math.min(9, longest + 2)}ch` } },
      controls.slice(0, IN_VIEW).map((control) => control.element),
      more(controls.slice(IN_VIEW))));
  const view = createBoundary(host, stage, method.key);
  host.addEventListener("dblclick", () => stage.tool === "point" && toggle());
  const unwatch = watch(host);

  /** Makes the panel fill the stage, or shows all panels again; the first of two clicks has marked an example. */
  function toggle() {
    stage.select(new Set());
    fill(method.key);
    view.surface.cover.focus();
  }

  return {
    element, controls, view,
    sliderRows: Math.min(IN_VIEW, controls.length) + (controls.length > IN_VIEW ? 1 : 0),
    /** @param {Panel} panel @param {RowCount} rows */
    update(panel, rows) {
      const state = badgeOf(panel, rows);
      setAttribute(element, "data-status", panel.status);
      setText(title, panel.name);
      finish.hidden = panel.status !== "overbudget" || stage.value("view.finish") === "1";
      setText(sign, state.sign);
      setFacts(facts, state.facts);
      setAttribute(badge, "title", state.title);
      setFacts(support, supportOf(panel));
      setText(score, scoreOf(panel));
      setText(note, noteOf(panel));
      setAttribute(note, "title", noteOf(panel));
    },
    paint() {
      element.style.setProperty("--ml-ink", wordInk(method.color, stage.theme));
    },
    destroy() {
      unwatch();
      view.destroy();
    },
  };
}

/**
 * Returns the note of a picture. A solver that has not converged is explained in its badge; for a stream that stopped
 * before its learner converged, the note says that the data may not be separable.
 * @param {Panel} panel
 */
function noteOf({ status, badge, message, note }) {
  if (status === "failed") return "";
  return UNDONE[status] && badge.updates === undefined ? note : [message, note].filter(Boolean).join(" ");
}

/**
 * Returns the badge of a solver. Unfinished results and previews differ in sign and text, not only in colour.
 * @param {Panel} panel @param {RowCount} rows
 */
function badgeOf({ status, badge, message }, rows) {
  if (status === "failed") return { sign: "⊘", facts: ["cannot run on these data"], title: message };
  if (badge.updates !== undefined) return learnedBadge(status, badge, message);
  const { gap, iterations, seconds, objective } = badge;
  const undone = UNDONE[status];
  const preview = rows.shown < rows.of;
  const facts = [
    preview && `preview: ${thousands(rows.shown)} of ${thousands(rows.of)} rows`,
    undone?.fact,
    gap === null ? "no certificate" : `gap ${short(gap, 2)}`,
    badge.landmarks && !preview && exactWords(badge),
    plural(iterations, "iteration"),
    elapsed(seconds),
  ];
  const title = [
    undone?.long ?? "Converged",
    gap === null ? "this method has no certified gap" : `certified relative gap ${gap}`,
    preview && `a preview on ${thousands(rows.shown)} of ${thousands(rows.of)} training rows, each of which counts for several`,
    badge.landmarks && `approximate problem: rows projected on the span of ${badge.landmarks} landmarks; ${exactWords(badge)}`,
    badge.fit,
    badge.landmarks && badge.support !== null && `${thousands(badge.support)} ${badge.supportLabel}`,
    plural(iterations, "iteration"),
    `${seconds} s`,
    `objective ${objective}`,
    message,
  ];
  return {
    sign: undone ? "⚠" : preview ? "◔" : "✓",
    facts: facts.filter((fact) => typeof fact === "string"),
    title: title.filter(Boolean).join("\n"),
  };
}

/** @param {Badge} badge */
function exactWords({ exactGap: gap, exactSure = 1 }) {
  if (gap === undefined) return "exact problem: checked when you release the slider";
  if (gap === null) return "exact problem: no bound";
  if (gap >= 1) return "exact problem: bound vacuous (above 100 %)";
  return `exact problem ≤ ${short(100 * gap, 2)} %${exactSure < 1 ? ` (${Math.floor(100 * exactSure)} % sure)` : ""}`;
}

/**
 * Returns the badge of an online learner, with its counts.
 * @param {DrawnPanel["status"]} status @param {Badge} badge @param {string} message
 */
function learnedBadge(status, { updates = 0, mistakes = 0, iterations }, message) {
  const state = {
    ok: { sign: "✓", words: "ended", long: "Converged: a pass over the examples caused no update" },
    underway: { sign: "▸", words: "", long: "In progress: the learner has seen part of its stream" },
    unconverged: { sign: "⚠", words: "not converged", long: "Stopped at the limit of passes, while still making updates" },
    overbudget: { sign: "⚠", words: UNDONE.overbudget.fact, long: UNDONE.overbudget.long },
  }[status];
  const facts = [state.words, plural(updates, "update"), plural(mistakes, "mistake"), plural(iterations, "pass", "passes")];
  return { sign: state.sign, facts: facts.filter((fact) => fact !== ""), title: [state.long, ...facts.slice(1), message].filter(Boolean).join("\n") };
}

/** @param {Panel} panel */
function scoreOf({ stats }) {
  const [part, share] = stats.test.accuracy === null ? ["train", stats.train.accuracy] : ["test", stats.test.accuracy];
  return share === null ? "" : `${part} ${percent(share)}`;
}

/**
 * Returns facts about the size of the solution: landmarks, else examples, the most important first. The word "examples"
 * is dropped from "examples outside the band", as the number before it implies it.
 * @param {Panel} panel
 */
function supportOf({ badge }) {
  if (!badge || badge.support === null || badge.updates !== undefined) return [];
  if (badge.landmarks) return [plural(badge.landmarks, "landmark")];
  const words = `${thousands(badge.support)} ${badge.supportLabel.replace(/^examples /, "")}`;
  return words.split(/ (?=of any )/);
}

/**
 * Creates a span for each fact, so that CSS can hide the last ones as a whole when there is little room.
 * @param {HTMLElement} element @param {string[]} facts
 */
function setFacts(element, facts) {
  while (element.children.length > facts.length) element.lastChild?.remove();
  while (element.children.length < facts.length) element.append(h("span", { class: "ml-fact" }));
  facts.forEach((fact, at) => setText(element.children[at], fact));
}
