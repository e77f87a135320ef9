import { bindUndoKeys, createAnnouncer } from "./a11y.js";
import { watchAppearance } from "./appearance.js";
import { createCatalog } from "../state/catalog.js";
import { h } from "./dom.js";
import { saveProject, takeAlong } from "./export.js";
import { createHistory } from "../state/history.js";
import { completed } from "../state/message.js";
import { createPainter } from "../canvas/painter.js";
import { formatQuery, isView, parseQuery } from "../state/query.js";
import { createWidgets } from "./widgets.js";
import { shareAddress } from "./share.js";
import { createSelection } from "../state/selection.js";
import { createState } from "../state/state.js";
import { createThemes } from "./theme.js";
import { createRecentSettings } from "../state/recent_settings.js";
import { createRequests } from "../line/requests.js";

/**
 * @import { MakeWidgets } from "./widgets.js"
 * @import { HandOver } from "../line/host.js"
 * @import { Ways } from "../line/line.js"
 * @import { Catalog } from "../state/catalog.js"
 */

/**
 * Creates a stage in an element: connects state, flow and history with the widgets.
 * @param {HTMLElement} parent @param {Ways & {widgets?: MakeWidgets, history?: typeof createHistory}} parts
 */
export function createShell(parent, parts) {
  const { line, host, room = () => null, widgets: makeWidgets = createWidgets, history: makeHistory = createHistory } = parts;
  const root = h("div", { class: "ml-stage", "data-testid": "stage", "data-busy": "true", "data-drawn": "{}", hidden: true });
  parent.append(root);

  let page = "";
  /** @type {Catalog | null} */
  let catalog = null;
  /** @type {ReturnType<typeof createThemes>} */
  let themes;
  /** @type {Message | null} */
  let scene = null;
  let unpainted = false;
  let tool = "point";
  const state = createState();
  const requests = createRequests(line, {
    around: () => ({
      page, last: scene?.last ?? null, have: catalog?.hash ?? "", gesture: history.entry, held: history.open, room: room(),
    }),
    receive, refuse,
    renew: () => host.tell(state.query),
    onBusy: () => (root.dataset.busy = "true"),
    onStale: () => root.classList.add("ml-stale"),
    onLost: (lost) => root.setAttribute("data-lost", String(lost)),
    say: (message, options) => widgets.headline.say(message, options),
  });
  const history = makeHistory(root, moveTo);
  const recent = createRecentSettings();
  const painter = createPainter(paint);
  const appearance = watchAppearance(root, painter.askResize);
  const announce = createAnnouncer(root);

  /** The stage as views and widgets see it. @type {Stage & {keepSelected: (rows: Iterable<number>) => void}} */
  const stage = {
    get scene() {
      return /** @type {Message} */ (scene);
    },
    get map() {
      return state.map;
    },
    get query() {
      return state.query;
    },
    get tool() {
      return tool;
    },
    get theme() {
      return appearance.dark ? themes.dark : themes.light;
    },
    get projector() {
      return state.value("view.projector") === "1";
    },
    ...createSelection(painter),
    value: state.value,
    change,
    abandon: history.abandon,
    /** Fits the axes, which are otherwise held from picture to picture, to the picture on screen. */
    fit: () => ask({ fit: true }),
    announce,
    complain: (message) => widgets.headline.say(message),
    /** Shows a message for a moment, and announces it to screen readers. @param {string} message */
    remark(message) {
      widgets.headline.say(message, { note: true, quiet: true });
      announce(message);
    },
    setTool(next) {
      tool = next;
      sync();
      painter.ask();
    },
    touch: (name) => widgets.touch(name),
  };

  const compare = () => scene && host.compare(scene.query);
  const actions = { goTo, open, share, save, compare, tune: line.tune, retry: requests.again };
  const widgets = makeWidgets(root, stage, { history, recent, painter }, actions);
  const unbindKeys = bindUndoKeys(root, history);
  window.addEventListener("resize", painter.askResize);

  /** Begins with the query of the page; later, goes on with its new token. @param {HandOver} given */
  function begin(given) {
    page = given.page;
    if (scene || requests.busy) requests.resume();
    else ask({ query: given.query, opens: true });
  }

  /** @param {Message} received */
  function receive(received) {
    const [before, message] = [scene, completed(received, scene)];
    if (message.panels) scene = message; // what is asked for next starts from here
    const answered = requests.settle();
    const { catalog: given } = message;
    if (given) {
      catalog = createCatalog(given, message.catalogHash);
      themes = createThemes(given.classMarks);
    }
    if (message.error && before) refuse(message.error);
    else show(message, { first: !before, fresh: Boolean(given), newest: !requests.busy && answered?.version === state.version });
    takeAlong(message, state.query);
  }

  /** @param {Message} message @param {{first: boolean, fresh: boolean, newest: boolean}} newness */
  function show(message, { first, fresh, newest }) {
    root.dataset.page = message.page;
    if (first && newest) state.replace(message.query); // a lecture may have moved on before the first picture
    state.adopt(message, { newest, first });
    if (fresh && catalog) widgets.build(catalog, message);
    widgets.arrange(message.methods, fresh);
    if (first) enter();
    else if (newest) history.rewrite(state.query);
    recover();
    if (message.error) fail(message.error);
    stage.keepSelected(message.arrays.row);
    unpainted = true;
    sync();
    if (first) painter.ask();
    else painter.now();
  }

  function enter() {
    const wanted = history.begin(state.query);
    if (wanted !== state.query) moveTo(wanted);
    painter.askResize();
    if (scene?.probe) stage.setTool("probe");
  }

  const source = () => String(state.value("data"));

  function sync() {
    if (!scene || !catalog) return;
    state.useKeys(catalog.controls(source()), catalog.local);
    widgets.sync(scene);
  }

  /** @param {boolean} resized */
  function paint(resized) {
    if (!scene || !root.isConnected || root.hidden) return;
    if (resized) widgets.resize();
    widgets.draw(scene);
    if (!unpainted) return;
    unpainted = false;
    widgets.report(scene);
    root.dataset.drawn = JSON.stringify(scene.drawn);
    settle();
    widgets.play.drawn();
  }

  function settle() {
    if (requests.busy || !scene) return;
    root.dataset.busy = "false";
    root.classList.remove("ml-stale");
    if (history.open) return;
    widgets.rest(scene);
    if ("error" in root.dataset) return;
    if (!scene.heard) host.tell(scene.query);
    recent.add(state.drawn);
    if (scene.unfinished) ask({ quiet: true });
  }

  /** @param {Patch} patch @param {{commit?: boolean}} options */
  function change(patch, { commit = true } = {}) {
    if (!scene) return;
    const { changed, local } = state.patch(patch);
    if (changed || (commit && history.open)) history.record(state.query, commit);
    if (!changed) return settle();
    if (!local) ask();
    sync();
    if (local) "view.projector" in patch ? painter.askResize() : painter.ask();
  }

  /** Requests the picture of the wanted state. @param {Partial<Parameters<typeof requests.request>[0]>} options */
  const ask = (options = {}) => requests.request({ query: state.query, version: state.version, ...options });

  /** @param {string} query @param {object | null} [table] @param {boolean} [fit] */
  function request(query, table = null, fit = false) {
    state.replace(query);
    ask({ query, table, fit });
  }

  /** Moves to a state from the browser's history. @param {string} query @param {object | null} [table] @param {boolean} [fit] */
  function moveTo(query, table = null, fit = false) {
    widgets.play.halt();
    request(query, table, fit);
    sync();
    painter.askResize();
  }

  /**
   * Moves to a pinned, recent or saved state, and keeps the pins and the rest of the view.
   * @param {string} query @param {object | null} [table]  of a project file, which Python has to load first
   */
  function goTo(query, table = null) {
    const view = [...state.map].filter(([key]) => isView(key) && key !== "view.probe");
    const next = formatQuery(new Map([...parseQuery(query), ...view]));
    history.record(next, true);
    moveTo(next, table);
  }

  /** Opens a state with its pins and view, `anew` not as a change of the last one. @param {string} query @param {boolean} anew */
  function open(query, anew = false) {
    history.record(query, true);
    moveTo(query, null, anew);
  }

  /** @param {{message: string, key: string | null}} problem */
  function refuse(problem) {
    if (problem.key === "data") stay();
    fail(problem);
    settle();
    widgets.play.halt();
  }

  /** Resets the wanted state to the drawn one, after a request for unavailable data. */
  function stay() {
    if (!scene || requests.busy) return;
    state.replace(scene.query);
    history.rewrite(state.query);
    sync();
  }

  /** @param {{message: string, key: string | null}} problem */
  function fail({ message, key }) {
    root.dataset.error = message;
    widgets.headline.say(message);
    if (key) widgets.fail(key, message);
  }

  function recover() {
    widgets.headline.recover();
    if (!("error" in root.dataset)) return;
    delete root.dataset.error;
    widgets.clearFailures();
  }

  /** Saves a project file of the state, or the named file; for an uploaded table, Python makes it. */
  function save(file = "") {
    if (catalog?.source(source())?.own) ask({ save: !file, file });
    else saveProject(state.query);
  }

  function share() {
    return shareAddress(widgets.headline, { own: Boolean(catalog?.source(source())?.own), fits: history.fits(state.query) });
  }

  return {
    begin,
    get scene() {
      return scene;
    },
    present: open,
    /** Requests the picture again, for a room that has opened since. */
    sendAgain: () => scene && ask({ quiet: true }),
    /** Shows the stage; to be called once the style sheet is loaded. */
    reveal() {
      root.hidden = false;
      appearance.check();
    },
    /** Ends the stage if it has left the page; Streamlit also calls the cleanup of superseded calls. */
    leave() {
      setTimeout(() => {
        if (root.isConnected) return;
        requests.stop();
        host.leave();
        history.stop();
        painter.stop();
        unbindKeys();
        window.removeEventListener("resize", painter.askResize);
        widgets.destroy();
      });
    },
  };
}
