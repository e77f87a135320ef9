/** The presenter's side of a room: opened and controlled by the page, shown as a URL and a QR code. */

import { h, setAttribute, setText } from "../shell/dom.js";
import { recall, remember } from "../state/storage.js";

/**
 * @typedef {{code: string, key: string, join: string, network: boolean}} Room
 * @typedef {{step: number, phase: string, opened: boolean, round: number}} Place
 */

const KEPT = "margin-lab room";
const LOOK = 2000; // milliseconds between two checks whether a lost server is back
const HEADERS = { "content-type": "application/json" };

/**
 * @param {string} name  of the lesson
 * @param {string | null} text  of a lesson from the presenter's file
 * @param {() => void} onOpen
 */
export function createRoom(name, text, onOpen) {
  const address = h("span", { class: "ml-lecture-address" }, "…");
  const counts = h("span", { class: "ml-lecture-counts" });
  const button = h("button", { type: "button", class: "ml-button", title: "URL and QR code for the audience (Q)", onclick: toggle }, "Join: ", address, counts);
  const code = h("img", { alt: "QR code of the URL", width: 320, height: 320 });
  const large = h("p", { class: "ml-lecture-join" });
  const hint = h("p", {});
  const end = h("button", { type: "button", class: "ml-button", onclick: leave }, "End the room");
  const overlay = h("div", { class: "ml-lecture-overlay", role: "dialog", "aria-label": "Join the room", hidden: true },
    code, large, hint, h("p", { class: "ml-lecture-ends" }, end, h("button", { type: "button", class: "ml-button", onclick: toggle }, "Close")));
  const element = h("div", { class: "ml-lecture-room", "data-testid": "room" }, button, overlay);
  /** @type {Room | null} */
  let room = null;
  /** @type {EventSource | null} */
  let events = null;
  let gone = 0;
  /** @type {{hear: (state: RoomState) => void, wish: (way: string) => void} | null} */
  let view = null;
  /** @type {Place | null} the current place of the lecture */
  let here = null;
  let told = "";
  /** @type {number | undefined} */
  let timer;

  async function open() {
    const found = await reopened() ?? await opened();
    if (!found) return null;
    room = found;
    remember("sessionStorage", KEPT, { name, ...found });
    const shown = found.join.replace(/^https?:\/\//, "");
    setAttribute(element, "data-join", found.join);
    setText(address, shown);
    setText(large, shown);
    setText(hint, found.network ? "Scan the code or type the URL." : "This machine is not on a network: nobody else can join.");
    code.src = `${base()}/qr.svg`;
    listen();
    onOpen();
    return found;
  }

  /** Opens another room once the server of the room, which has gone with its rooms, is back or replaced by another. */
  async function openAgain() {
    const before = room?.code ?? recall("sessionStorage", KEPT)?.code;
    room = null;
    element.removeAttribute("data-join");
    setText(address, "the server does not respond");
    setText(counts, "");
    let found = null;
    try {
      found = await open();
    } catch {
      timer = setTimeout(openAgain, LOOK);
    }
    if (!found || found.code === before) return;
    setText(hint, "The previous room has ended. Please join this one.");
    overlay.hidden = false;
    told = "";
    await report();
  }

  /** Reconnects to the room after a reload. */
  async function reopened() {
    const kept = recall("sessionStorage", KEPT);
    if (kept?.name !== name) return null;
    const reply = await fetch(`/join/${kept.code}/state`);
    if (!reply.ok) return null;
    gone = (await reply.json()).go[0];
    return kept;
  }

  async function opened() {
    const reply = await fetch("/rooms", { method: "POST", headers: HEADERS, body: JSON.stringify(text ? { text } : { lesson: name }) });
    const answer = await reply.json();
    if (reply.ok) return answer;
    setText(address, answer.error);
    return null;
  }

  const base = () => `/join/${room?.code}`;

  function listen() {
    events = new EventSource(`${base()}/events`);
    events.addEventListener("state", (event) => {
      const state = JSON.parse(event.data);
      if (state.ended) {
        close("The room has ended.");
        return;
      }
      setAttribute(element, "data-votes", String(state.votes));
      setAttribute(element, "data-phones", String(state.phones));
      setText(counts, state.phones ? ` · ${state.votes} of ${state.phones} answered` : "");
      if (state.go[0] > gone) {
        gone = state.go[0];
        view?.wish(state.go[1]);
      }
      view?.hear(state);
    });
    // The browser reconnects after a cut connection, but not after an error response.
    events.addEventListener("error", () => events?.readyState === EventSource.CLOSED && openAgain());
  }

  function toggle() {
    if (room) overlay.hidden = !overlay.hidden;
    else openAgain();
  }

  /** @param {string} words */
  function close(words) {
    events?.close();
    room = null;
    remember("sessionStorage", KEPT, null);
    setText(address, words);
    setText(counts, "");
    element.removeAttribute("data-join");
    overlay.hidden = true;
  }

  async function leave() {
    if (room) await post("end", {});
    close("The room has ended.");
  }

  /** @param {string} path @param {object} sent */
  function post(path, sent) {
    return fetch(`${base()}/${path}`, { method: "POST", headers: { ...HEADERS, "x-room-key": room?.key ?? "" }, body: JSON.stringify(sent), keepalive: true });
  }

  async function report() {
    const place = JSON.stringify(here);
    if (!room || !here || place === told) return;
    told = place;
    try {
      await post("present", here);
    } catch {
      told = ""; // the server is away: the place is sent to the next room
    }
  }

  const ready = open();
  return {
    element,
    toggle,
    get reference() {
      return room ? { code: room.code, key: room.key } : null;
    },
    /** @param {Place} place */
    async tell(place) {
      await ready;
      here = place;
      await report();
    },
    /** Passes what the room tells on to a lecture. @param {NonNullable<typeof view>} lecture */
    lead(lecture) {
      view = lecture;
    },
    /** Opens the second window with notes and remote. */
    notes() {
      if (room) window.open(`${base()}/remote#${room.key}`, "margin-lab notes", "width=720,height=640");
    },
    destroy() {
      clearTimeout(timer);
      events?.close();
    },
  };
}
