const STATE = "data-test-connection-state"; // of Streamlit's own socket, as its page says it

/**
 * Streamlit drops what is sent while its socket is cut: whoever waits for an answer is told when there is another socket.
 * @param {() => void} onConnected
 * @returns {() => void} stops it
 */
export function watchConnection(onConnected) {
  const app = document.querySelector("[data-testid=stApp]");
  const watch = new MutationObserver(() => app?.getAttribute(STATE) === "CONNECTED" && onConnected());
  if (app) watch.observe(app, { attributes: true, attributeFilter: [STATE] });
  return () => watch.disconnect();
}
