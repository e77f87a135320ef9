const STATE = "data-test-connection-state"; // the state of Streamlit's socket, on its page

/**
 * Calls back when Streamlit has reconnected, because it drops whatever is sent while its socket is cut.
 * @param {() => void} onConnected
 * @returns {() => void} stops watching
 */
export function watchConnection(onConnected) {
  const app = document.querySelector("[data-testid=stApp]");
  const watch = new MutationObserver(() => app?.getAttribute(STATE) === "CONNECTED" && onConnected());
  if (app) watch.observe(app, { attributes: true, attributeFilter: [STATE] });
  return () => watch.disconnect();
}
