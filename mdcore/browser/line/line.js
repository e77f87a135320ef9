/**
 * The line of a stage: what it asks for pictures, wherever it is mounted. The route of a server (route.js), the kernel of
 * a notebook (kernel.js) and a saved file (saved.js) each make one.
 *
 * @import { Sent } from "./requests.js"
 *
 * @typedef {Omit<Sent, "table"> & Around} PictureRequest
 *
 * @typedef {object} Around  what a picture depends on beside its query, so that whoever answers need not remember it
 * @property {string} page
 * @property {object | null} last  the `last` of the picture on screen, null if there is none
 * @property {string} have  the hash of the catalog here
 * @property {number} gesture  pictures of the same drag are described as one change
 * @property {boolean} held  whether the drag goes on
 * @property {{code: string, key: string} | null} [room]  to which the picture is presented
 *
 * @typedef {object} Line
 * @property {(request: PictureRequest, signal: AbortSignal) => Promise<Message>} draw  rejects with Unanswered if the
 *   request is refused, and with another error if nobody answers
 * @property {(table: object, signal: AbortSignal) => Promise<void>} keep  hands over the table of a project file
 * @property {() => Promise<boolean>} isThere  whether anybody would answer
 * @property {(state: {page: string, query: string}, signal: AbortSignal, tell: (course: Course) => void) => Promise<Patch>} [tune]
 *   chooses the parameters of the methods shown, if whoever answers can
 *
 * @typedef {{made: number, total: number, ahead: number}} Course  fits made, the most there can be, and the jobs that go first
 *
 * @typedef {{line: Line, host: Host, room?: () => PictureRequest["room"]}} Ways  out of a stage
 *
 * @typedef {object} Host  the page around the stage
 * @property {(query: string) => void} tell  lets the page know the query on screen, and gives the line a new start
 * @property {(query: string) => void} compare  leads to the Compare page
 * @property {() => void} leave  is called when the stage has left the page
 */

/** A page without a server: it keeps no query, and no other page can be reached. @type {Host} */
export const NOBODY = { tell() {}, compare() {}, leave() {} };

/** The refusal of a request, with the status of HTTP that says why. */
export class Unanswered extends Error {
  /** @param {number} status @param {string} reason */
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}
