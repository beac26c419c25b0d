// The table of problems or samples: filters, rows, keys, and the state in the URL.
const SHOWN = innerWidth < 640 ? 10 : 25; // rows at first; `more` shows four times as many
const TABLES = { problems: problemTable, samples: sampleTable };
const FILTERS = ["find", "subset", "show", "a", "b", "verdict", "failure"];
const items = field("items"), body = items.tBodies[0], heads = items.tHead.rows[0];
const NO_FILTER = Object.fromEntries(FILTERS.map((name) => [name, ""]));
let fitting = [], limit = SHOWN, openRow = null;

const table = () => TABLES[state.view] ?? problemTable;

function showHeadings() {
  const columns = shownColumns(table());
  items.dataset.rows = table().unit;
  heads.replaceChildren(...columns.map(({ by, heading, title, kind, mark }) => {
    const made = element("th", { scope: "col", class: kind ?? null, title: title ?? null, "data-by": by },
      element("button", { type: "button" }, ...breakable(heading), ...(mark ? [" ", element("b", {}, mark)] : [])));
    if (state.sort === by) made.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    return made;
  }));
}

function makeRow(item) {
  const made = makeCells(table(), item);
  made.classList.add("row");
  made.tabIndex = 0;
  made.setAttribute("aria-expanded", "false");
  made.item = item;
  return made;
}

function close() {
  if (!openRow) return;
  openRow.setAttribute("aria-expanded", "false");
  openRow.nextElementSibling.remove();
  openRow = null;
}

async function open(made, wanted) {
  close();
  openRow = made;
  made.setAttribute("aria-expanded", "true");
  const { problem, sample } = table().opens(made.item);
  const left = wanted?.left || (sample ? sampleName(sample) : "");
  const box = element("div", { class: "inside" });
  made.after(element("tr", { class: "open" }, element("td", { colspan: made.children.length }, box)));
  writeState({ open: table().identity(made.item), left, right: wanted?.right ?? "" });
  await openProblem(box, problem, { left, right: wanted?.right }, (one, other) =>
    writeState({ left: one ?? "", right: other ?? "" }));
}

async function toggle(made, model) {
  if (made === openRow) {
    close();
    writeState({ open: "", left: "", right: "" });
    return;
  }
  const { problem } = table().opens(made.item);
  const sample = model === undefined ? undefined : (await loadSamples()).of(problem, model)[0];
  await open(made, sample && { left: sampleName(sample) });
}

async function show() {
  openRow = null;
  const wanted = fitting.findIndex((item) => state.open && table().identity(item) === state.open);
  if (wanted >= limit) limit = wanted + 1;
  const rows = fitting.slice(0, limit).map(makeRow);
  body.replaceChildren(...rows);
  showMore();
  await Promise.all(filling.splice(0));
  if (wanted >= 0) await open(rows[wanted], state);
}

function showMore() {
  const more = field("more"), total = table() === problemTable ? problems.length : field("items").dataset.samples;
  more.hidden = fitting.length <= limit;
  more.textContent = `Show ${Math.min(4 * SHOWN, fitting.length - limit)} more`;
  field("count").textContent = `${fitting.length} of ${total} ${table().unit}`;
}

let turn = 0; // of two filters at once, the later one counts
async function update() {
  const mine = ++turn;
  showHeadings();
  for (const part of document.querySelectorAll("[data-view]")) {
    part.setAttribute("aria-pressed", String(part.dataset.view === state.view));
  }
  for (const part of document.querySelectorAll("[data-only]")) part.hidden = part.dataset.only !== state.view;
  const matching = await table().items();
  if (mine !== turn) return;
  const column = table().columns().find(({ by }) => by === state.sort);
  showVersus();
  showColumnChoice();
  fitting = column ? sorted(matching, column.value, Boolean(state.down)) : matching;
  limit = SHOWN;
  await show();
}

function choose(changes) {
  const before = state.show;
  writeState({ ...changes, open: "", left: "", right: "" });
  if (state.show !== before) { // what a filter is about comes first
    if (OF_TWO.has(state.show)) {
      const a = state.a || names.model[0];
      const b = state.b && state.b !== a ? state.b : names.model.find((name) => name !== a) ?? a;
      writeState({ a, b, sort: "difference", down: "1" });
    } else if (comparesPairs()) {
      writeState({ sort: "difference", down: state.show === "perturbed-only" ? "1" : "" });
    } else if (state.show === "disagree") {
      writeState({ sort: "difference", down: "1" });
    }
  }
  fillControls();
  return update();
}

function fillControls() {
  for (const name of FILTERS) {
    if (field(name)) field(name).value = state[name];
  }
}

for (const name of FILTERS) {
  field(name)?.addEventListener("input", () => choose({ [name]: field(name).value }));
}
for (const button of document.querySelectorAll("[data-view]")) {
  button.addEventListener("click", () => choose({ view: button.dataset.view, sort: "", down: "" }));
}
field("reset").addEventListener("click", () => choose({ ...DEFAULTS, view: state.view, columns: state.columns }));
field("download").addEventListener("click", () => download(table(), fitting));
heads.addEventListener("click", (event) => {
  const by = event.target.closest("button")?.parentElement.dataset.by;
  if (!by) return;
  const { downFirst } = table().columns().find((column) => column.by === by);
  const down = state.sort === by ? !state.down : Boolean(downFirst);
  writeState({ sort: by, down: down ? "1" : "" });
  update();
});
body.addEventListener("click", (event) => {
  const made = event.target.closest("tr.row");
  if (!made || String(document.getSelection())) return;
  const model = event.target.closest("[data-model]")?.dataset.model;
  toggle(made, model === undefined ? undefined : Number(model));
});
body.addEventListener("keydown", (event) => {
  const made = event.target;
  if (!made.matches("tr.row")) return;
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (step) {
    let next = made[step];
    while (next && !next.classList.contains("row")) next = next[step];
    if (next) next.focus();
  } else if (event.key === "Enter" || event.key === " ") {
    toggle(made);
  } else {
    return;
  }
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "/" && !typing) {
    field("find").focus();
    event.preventDefault();
  } else if (event.key === "Escape" && !event.defaultPrevented) {
    if (FILTERS.some((name) => state[name])) choose(NO_FILTER);
    else if (openRow) toggle(openRow);
  } else if (event.key === "ArrowDown" && event.target === field("find")) {
    body.querySelector("tr.row")?.focus();
    event.preventDefault();
  }
});
field("more").addEventListener("click", () => {
  const rows = fitting.slice(limit, limit + 4 * SHOWN).map(makeRow);
  body.append(...rows);
  limit += 4 * SHOWN;
  showMore();
  rows[0]?.focus();
});
// To a place of the page, unfolding what holds it.
function goTo(place) {
  for (let part = place; part; part = part.parentElement) if (part.matches("details")) part.open = true;
  place?.scrollIntoView();
}
window.addEventListener("hashchange", async () => {
  const other = decodeHash().includes("?"); // a link to a section leaves the filters as they are
  readState();
  writeState();
  fillControls();
  if (other) await update();
  goTo(other && openRow ? openRow : field(anchor));
});

async function start() {
  if (typeof DecompressionStream === "undefined") {
    field("count").textContent = "The problems need a browser of 2023 or later.";
    return;
  }
  readState();
  await loadProblems();
  fillControls();
  await update();
  if (!scrollBack() && (anchor || state.open)) goTo(openRow ?? field(anchor));
  document.body.dataset.ready = String(Math.round(performance.now()));
}
start();
