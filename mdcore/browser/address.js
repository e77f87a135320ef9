import "./workarounds/checked_radio.js";
import "./workarounds/crossing.js";
import "./workarounds/minus.js";
import "./workarounds/recovery.js";
import { formatQuery, parseQuery, toSearch } from "./state/query.js";

/**
 * Replaces the URL with which the page was opened by its current one, unless the visitor has left the page meanwhile.
 * @param {{data: {page: string, query: string}}} given
 */
export default function address({ data: { page, query } }) {
  if (!location.pathname.endsWith(`/${page}`)) return;
  const wanted = formatQuery(parseQuery(query));
  if (formatQuery(parseQuery(location.search)) !== wanted) history.replaceState(history.state, "", toSearch(wanted));
}
