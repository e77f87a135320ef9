import "./workarounds/recovery.js";
import { formatQuery, parseQuery, toSearch } from "./state/query.js";

/**
 * Shows a page's address in the place of the one it was entered with. A page that was left meanwhile has no say.
 * @param {{data: {page: string, query: string}}} given
 */
export default function address({ data: { page, query } }) {
  if (!location.pathname.endsWith(`/${page}`)) return;
  const wanted = formatQuery(parseQuery(query));
  if (formatQuery(parseQuery(location.search)) !== wanted) history.replaceState(history.state, "", toSearch(wanted));
}
