import { NOBODY, Unanswered } from "./line.js";
import { createMemoryHistory } from "../state/memory_history.js";
import { createShell } from "../shell/shell.js";
import { decode } from "../state/message.js";

/**
 * @import { Line } from "./line.js"
 *
 * @typedef {object} Kernel  messages to and from the kernel of a notebook, which answers in order
 * @property {(content: object) => void} send
 * @property {(hear: (content: {id: number, refused?: string}, bytes?: Uint8Array) => void) => void} listen
 */

/** Creates the line to the kernel of a notebook, whose `reply` (serving/stage/reply.py) answers. @param {Kernel} kernel @returns {Line} */
export function createKernelLine(kernel) {
  /** @type {Map<number, {resolve: (message: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  kernel.listen(({ id, refused }, bytes) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (refused) reject?.(new Unanswered(422, refused));
    else if (bytes) resolve?.(decode(bytes));
  });
  return {
    draw(request, signal) {
      signal.addEventListener("abort", () => waiting.delete(request.id));
      kernel.send(request);
      return new Promise((resolve, reject) => waiting.set(request.id, { resolve, reject }));
    },
    keep: async () => Promise.reject(new Unanswered(422, "A notebook has its tables in variables: give one to the stage.")),
    isThere: async () => true,
  };
}

/**
 * Shows a stage in an element of a notebook.
 * @param {HTMLElement} parent @param {Kernel} kernel @param {{page: string, query: string}} state
 */
export function mountInNotebook(parent, kernel, state) {
  const shell = createShell(parent, { line: createKernelLine(kernel), host: NOBODY, history: createMemoryHistory });
  shell.begin({ ...state, token: "" });
  shell.reveal();
  return shell;
}
