// What is shown, in the part of the URL after `#`, behind the name of a section: a copied URL shows
// the same. `state` has names, not places, so that it outlives another run of the report.
const DEFAULTS = { view: "problems", find: "", subset: "", show: "", a: "", b: "", verdict: "",
  failure: "", columns: "", sort: "", down: "", open: "", left: "", right: "" };
const state = { ...DEFAULTS };
let anchor = "";

function readState() {
  const [place, query] = decodeHash().split("?");
  anchor = place;
  if (query === undefined) return;
  const given = new URLSearchParams(query);
  for (const name of Object.keys(DEFAULTS)) state[name] = given.get(name) ?? DEFAULTS[name];
}

const decodeHash = () => location.hash.slice(1);

function writeState(changes = {}) {
  Object.assign(state, changes);
  const query = new URLSearchParams(
    Object.entries(state).filter(([name, value]) => value !== DEFAULTS[name]));
  const text = query.toString();
  const hash = text ? `${anchor || "problems"}?${text}` : anchor;
  if (hash !== location.hash.slice(1)) history.replaceState(null, "", `#${hash}`);
}
