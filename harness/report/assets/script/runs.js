// The list of the runs of a folder, read again and again; marked runs are compared on one page.
const SECONDS = 3;
const MOST = Number(document.body.dataset.most);
const FILTERS = ["find", "state"];
const HEADINGS = ["run", "models: answers, correct of those judged", "benchmarks", "problems", "begun"];
let runs = [];
const marked = new Set();

const total = (run, name) => run.models.reduce((sum, model) => sum + model[name], 0);
const finished = (run) => !run.error && total(run, "answers") >= total(run, "planned")
  && total(run, "judged") >= total(run, "answers");
const address = (chosen) => `page?${new URLSearchParams(chosen.map((name) => ["run", name]))}`;
// The shares of runs are no ranking: each is of what that run was asked.
const progress = (model) => element("div", { class: "progress" },
  element("b", {}, model.label), " ",
  element("progress", { max: Math.max(1, model.planned), value: model.answers, "aria-hidden": "true" }),
  ` ${model.answers} of ${model.planned}${model.judged ? `, ${model.correct} of ${model.judged} correct` : ""}`);

function rowOf(run) {
  const box = element("input", { type: "checkbox", "aria-label": `Mark ${run.name}` });
  box.checked = marked.has(run.name);
  box.disabled = Boolean(run.error);
  box.addEventListener("change", () => {
    if (box.checked) marked.add(run.name);
    else marked.delete(run.name);
    showCompare();
  });
  const first = element("th", { scope: "row" }, box, " ",
    run.error ? run.name : element("a", { href: address([run.name]) }, run.name));
  const cells = run.error ? [[run.error]] : [
    run.models.map(progress), [run.benchmarks.join(", ")], [String(run.problems)],
    [run.created.slice(0, 16).replace("T", " ")]];
  const made = element("tr", { class: finished(run) || run.error ? null : "unfinished" }, first,
    ...cells.map((parts, at) => element("td", { class: "wrapped", ...(at && { "data-heading": HEADINGS[at + 1] }) },
      ...parts)));
  made.name = run.name;
  return made;
}

function showCompare() {
  const chosen = runs.filter((run) => marked.has(run.name));
  field("compare").disabled = chosen.length < 2 || chosen.length > MOST;
  field("compare").textContent = chosen.length > MOST ? `At most ${MOST} runs are compared`
    : chosen.length ? `Compare ${chosen.length} marked run${chosen.length > 1 ? "s" : ""}` : "Compare marked runs";
}

function show() {
  const wanted = field("find").value.toLowerCase().split(/\s+/).filter(Boolean), state = field("state").value;
  const fitting = runs.filter((run) => {
    const words = [run.name, ...run.models.map((model) => model.label), ...run.benchmarks].join(" ").toLowerCase();
    return wanted.every((word) => words.includes(word)) && (!state || (state === "finished") === finished(run));
  });
  const focused = document.activeElement?.closest("tr")?.name, kind = document.activeElement?.tagName;
  const rows = fitting.map(rowOf);
  field("runs").tBodies[0].replaceChildren(...rows);
  rows.find((row) => row.name === focused)?.querySelector(kind.toLowerCase())?.focus();
  field("count").textContent = `${fitting.length} of ${runs.length} runs`;
  showCompare();
  const query = new URLSearchParams(FILTERS.map((name) => [name, field(name).value]).filter(([, value]) => value));
  history.replaceState(null, "", String(query) ? `#${query}` : location.pathname);
}

let before = "";
async function follow() {
  if (document.hidden && before) return;
  const text = await fetch("runs.json").then((answer) => (answer.ok ? answer.text() : before), () => before);
  if (text === before || String(document.getSelection())) return;
  before = text;
  const { runs: rows, left_out: left } = JSON.parse(text);
  runs = rows;
  field("left").hidden = !left;
  field("left").textContent = `${left} further runs are not in this list.`;
  show();
  document.body.dataset.ready = String(Math.round(performance.now()));
}

field("runs").tHead.rows[0].replaceChildren(...HEADINGS.map((name) => element("th", { scope: "col" }, name)));
for (const box of document.querySelectorAll(".scroll")) cuttable(box);
const given = new URLSearchParams(location.hash.slice(1));
for (const name of FILTERS) {
  if (given.has(name)) field(name).value = given.get(name);
  field(name).addEventListener("input", show);
}
field("compare").addEventListener("click", () =>
  location.assign(address(runs.filter((run) => marked.has(run.name)).map((run) => run.name))));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const name of FILTERS) field(name).value = "";
    show();
  } else if (event.key === "/" && !event.target.matches("input[type=search]")) {
    field("find").focus();
    event.preventDefault();
  }
});
follow();
setInterval(follow, 1000 * SECONDS);
