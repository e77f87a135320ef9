/** The presenter's picture on a phone, drawn by the views of the stage. */

import { createCumulative } from "../charts/cumulative.js";
import { createPanelRow } from "../charts/panel_row.js";
import { h } from "../shell/dom.js";
import { createStillStage } from "../shell/still_stage.js";
import { decode } from "../state/message.js";

/**
 * @param {HTMLElement} root
 * @param {(point: number[]) => void} onPlace  called with unscaled features when the visitor has placed an example
 */
export function createPicture(root, onPlace) {
  /** @type {ReturnType<typeof createViews> | null} */
  let views = null;
  let tool = "point";
  /** The visitor's example, as an edit of the data. */
  let placed = "";
  /** @type {Promise<Uint8Array> | null} */
  let latest = null;

  /** @param {string} edit */
  function place(edit) {
    placed = edit;
    views?.use(tool, placed);
    onPlace(edit.split("_").slice(1, 3).map(Number));
  }

  return {
    /** Shows a picture, unless a newer one has arrived before it is unpacked. @param {string} packed */
    async receive(packed) {
      const arriving = (latest = unpacked(packed));
      const scene = decode(await arriving);
      if (arriving !== latest) return;
      views ??= createViews(root, scene.classMarks, place);
      views.show(scene);
      views.use(tool, placed);
    },

    /**
     * Lets the visitor answer in the picture, and marks the answer there.
     * @param {string | null} name  of the tool that answers the question
     * @param {{answer: any, closed: boolean}} told
     */
    use(name, { answer, closed }) {
      tool = name && !closed ? name : "point";
      placed = name && answer ? `a_${answer.join("_")}_${name.slice(-1)}` : "";
      views?.use(tool, placed);
    },
  };
}

/** @param {string} packed  by Python @returns {Promise<Uint8Array>} the message */
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {HTMLElement} root @param {ClassMark[]} classMarks @param {(edit: string) => void} place */
function createViews(root, classMarks, place) {
  const { stage, painter, set, check } = createStillStage(root, classMarks, paint, ({ edits }) => edits && place(lastOf(edits)));
  const row = createPanelRow(stage, "ml-phone-panel", painter.watch);
  const host = h("div", { class: "ml-view", "data-testid": "cumulative" });
  root.append(row.element,
    h("section", { class: "ml-phone-panel" }, h("h2", {}, "How many margins are at most t?"), h("div", { class: "ml-view-frame" }, host)));
  const curves = createCumulative(host, stage);
  painter.watch(root);
  check();

  /** @param {boolean} resized */
  function paint(resized) {
    const { scene } = stage;
    for (const view of [...row.views, curves]) {
      if (resized) view.resize();
      if (scene) view.draw(scene);
    }
    row.tell(scene);
    if (scene) root.dataset.drawn = JSON.stringify(scene.drawn);
  }

  return {
    /** @param {Scene} scene */
    show(scene) {
      stage.scene = scene;
      row.arrange(scene.methods);
      painter.askResize();
    },
    /** @param {string} tool @param {string} placed */
    use(tool, placed) {
      stage.tool = tool;
      const drawn = new URLSearchParams(stage.scene.query).get("edits");
      set({ edits: [drawn, placed].filter(Boolean).join("~") });
    },
  };
}

/** @param {string | number} edits */
const lastOf = (edits) => String(edits).split("~").at(-1) ?? "";
