import { h, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
import { isView } from "../state/query.js";
import { Unanswered } from "../line/line.js";

/**
 * @import { Course, Line } from "../line/line.js"
 */

const LABEL = "Tune: make the methods comparable";
const HELP = "Chooses the parameters of every method shown with equal effort, by cross-validation on the training rows. "
  + "The kernel and γ stay, so that all margins have the same unit. Undo brings your settings back.";

/**
 * Creates the button that tunes the methods shown; while that goes on, it shows how far, and a press stops it.
 * @param {Stage} stage @param {NonNullable<Line["tune"]>} tune @param {(method: string) => string} nameOf
 */
export function createTuning(stage, tune, nameOf) {
  const word = h("span", { class: "ml-word" }, "Tune");
  const element = h("button", { type: "button", class: "ml-button ml-tune", onclick: toggle }, icon("tools"), word);
  /** The tuning under way, and the settings that it depends on. @type {{control: AbortController, subject: Map<string, string>} | null} */
  let current = null;
  rest();

  function rest() {
    current = null;
    setText(word, "Tune");
    element.title = `${LABEL}. ${HELP}`;
    setAttribute(element, "aria-label", LABEL);
    setAttribute(element, "aria-busy", "false");
    element.style.removeProperty("--ml-done");
  }

  function toggle() {
    if (!current) return begin();
    stop();
    stage.remark("Tuning stopped: nothing has changed.");
  }

  function stop() {
    current?.control.abort();
    rest();
  }

  async function begin() {
    const mine = (current = { control: new AbortController(), subject: subjectOf(stage.map) });
    const { signal } = mine.control;
    setText(word, "Stop");
    setAttribute(element, "aria-label", "Stop tuning");
    setAttribute(element, "aria-busy", "true");
    show({ made: 0, total: 0, ahead: 0 });
    stage.announce(`Tuning ${String(stage.value("methods")).split(",").map(nameOf).join(", ")} on the training rows.`);
    try {
      const chosen = await tune({ page: stage.scene.page, query: stage.query }, signal, (course) => signal.aborted || show(course));
      if (signal.aborted) return;
      rest();
      adopt(chosen);
    } catch (error) {
      if (signal.aborted) return;
      rest();
      stage.complain(error instanceof Unanswered ? error.message : "The server does not answer: try to tune again in a moment.");
    }
  }

  /** @param {Patch} chosen */
  function adopt(chosen) {
    if (Object.entries(chosen).every(([key, value]) => stage.map.get(key) === value)) stage.fit(); // says that they are tuned
    else stage.change(chosen, { commit: true });
  }

  /** @param {Course} course */
  function show({ made, total, ahead }) {
    const how = ahead ? `waiting for ${ahead} other ${ahead > 1 ? "jobs" : "job"}` : total ? `${made} of at most ${total} fits` : "starting";
    element.title = `Tuning, ${how}. Press to stop.`;
    element.style.setProperty("--ml-done", `${total ? (100 * made) / total : 0}%`);
  }

  return {
    element,
    stop,
    /** Stops if the data, the kernel or the methods have changed since the press. */
    update() {
      if (!current) return;
      const now = subjectOf(stage.map);
      if ([...current.subject].every(([key, value]) => now.get(key) === value)) return;
      stop();
      stage.remark("Tuning stopped, as the data, the kernel or the methods have changed.");
    },
  };
}

/** Returns the settings on which the chosen parameters depend: all but those parameters and the view. @param {Map<string, string>} map */
const subjectOf = (map) => new Map([...map].filter(([key]) => !isView(key) && !key.includes(".") && key !== "scale"));
