import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { createHistory } from "../../mdcore/ui/assets/state/history.js";

const ROOT = { isConnected: true };
let loads;

/** The URL and the history entry of a browser. */
class FakeHistory {
  state = null;

  pushState(state, _, address) {
    const { pathname, search } = new URL(address, `http://server${location.pathname}`);
    this.state = state;
    Object.assign(location, { pathname, search });
  }

  replaceState(...entry) {
    this.pushState(...entry);
  }
}

beforeEach(() => {
  loads = [];
  Object.assign(globalThis, {
    location: { pathname: "/", search: "?embed=true&C=1", reload: () => loads.push(location.pathname + location.search) },
    window: { addEventListener() {}, removeEventListener() {} },
    history: new FakeHistory(),
  });
});

test("a page that is loaded anew has the state that is wanted, whatever was written over its address", () => {
  const pages = createHistory(ROOT, () => {});
  pages.begin("C=1");
  pages.record("C=2", true);
  history.pushState({}, "", "/playground?embed=true&C=1"); // Streamlit, after connecting to a restarted server
  pages.reload("C=2");
  assert.deepEqual(loads, ["/?C=2&embed=true"]);
  assert.equal(createHistory(ROOT, () => {}).begin("C=1"), "C=2");
});
