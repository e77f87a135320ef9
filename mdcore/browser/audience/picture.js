/** The presenter's picture on a phone, drawn by the views of the stage. */

import { createCumulative } from "../charts/cumulative.js";
import { createPanelRow } from "../charts/panel_row.js";
import { h } from "../shell/dom.js";
import { createStillStage } from "../shell/still_stage.js";
import { ADDING } from "../shell/tools.js";
import { decode } from "../state/message.js";

/**
 * @param {HTMLElement} root
 * @param {(point: number[]) => void} onPlace  called with unscaled features when the visitor has placed an example
 */
export function createPicture(root, onPlace) {
  const { stage, painter, set, check } = createStillStage(root, paint, ({ edits }) => edits && place(String(edits).split("~").at(-1) ?? ""));
  const row = createPanelRow(stage, "ml-phone-panel", painter.watch);
  const host = h("div", { class: "ml-view", "data-testid": "cumulative" });
  const below = h("section", { class: "ml-phone-panel", hidden: true },
    h("h2", {}, "How many margins are at most t?"), h("div", { class: "ml-view-frame" }, host));
  root.append(row.element, below);
  const curves = createCumulative(host, stage);
  /** @type {Promise<Uint8Array> | null} */
  let latest = null;
  painter.watch(root);
  check();

  /** @param {boolean} resized */
  function paint(resized) {
    const { scene } = stage;
    if (!scene) return;
    for (const view of [...row.views, curves]) {
      if (resized) view.resize();
      view.draw(scene);
    }
    row.tell(scene);
    root.dataset.drawn = JSON.stringify(scene.drawn);
  }

  /** Marks the visitor's example beside those of the picture. @param {string} edit  that adds it */
  function mark(edit) {
    const drawn = stage.scene && new URLSearchParams(stage.scene.query).get("edits");
    set({ placed: edit, edits: [drawn, edit].filter(Boolean).join("~") });
  }

  /** @param {string} edit */
  function place(edit) {
    mark(edit);
    onPlace(edit.split("_").slice(1, 3).map(Number));
  }

  return {
    /** Shows a picture, unless a newer one has arrived before it is unpacked. @param {string} packed */
    async receive(packed) {
      const arriving = (latest = unpacked(packed));
      const scene = decode(await arriving);
      if (arriving !== latest) return;
      stage.scene = scene;
      below.hidden = false;
      row.arrange(scene.methods);
      mark(stage.value("placed") ?? "");
      painter.askResize();
    },

    /**
     * Lets the visitor answer in the picture, and marks the answer there.
     * @param {string | null} tool  that answers the question
     * @param {{answer: any, closed: boolean}} told
     */
    use(tool, { answer, closed }) {
      stage.tool = tool && !closed ? tool : "point";
      mark(tool && answer ? `a_${answer.join("_")}_${ADDING.get(tool)}` : "");
    },
  };
}

/** @param {string} packed  by Python @returns {Promise<Uint8Array>} the message */
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
