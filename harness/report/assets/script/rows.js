// The two tables: of problems, with the correct samples of each model, and of samples. A column has an
// id for addresses (`by`), a heading, a value to sort by, and a cell; `off` is only shown on demand.
const pointsOf = (value) => { // in percentage points; a range has no sign
  const sign = !comparesPairs() && !comparesModels() ? "" : value > 0 ? "+" : value < 0 ? "−" : "";
  return sign + Math.round(100 * Math.abs(value));
};
const filling = []; // promises of the cells that are not whole yet
const idOf = (problem) => problem.key.slice(names.subset[problem.subset].length + 1);
const plainCell = (value, kind = null) => element("td", { class: kind }, value);
const numberCell = (value) => plainCell(value ?? "", "number");
const subsetColumn = (problem) => ({ by: "subset", heading: "subset", off: true,
  value: (item) => names.subset[problem(item).subset],
  cell: (item) => plainCell(names.subset[problem(item).subset], "soft") });

function countCell(problem, model) {
  const samples = problem.samples[model], correct = problem.correct[model], rated = share(problem, model) !== null;
  const title = `${names.model[model]}: ${rated ? `${correct} of ${samples} correct`
    : samples ? "nothing but errors, so no score" : "no samples"}`;
  const cell = element("td", { class: rated ? "count" : "count soft", title },
    rated ? `${correct}/${samples}` : samples ? "error" : "–");
  cell.dataset.model = model;
  if (rated) cell.style.setProperty("--share", `${Math.round((100 * correct) / samples)}%`);
  return cell;
}

function questionCell(problem) {
  const question = shortFormula(problem.asked);
  filling.push(asked(problem.place).then((detail) => question.firstChild.replaceChildren(formula(detail.asked))));
  return element("th", { scope: "row" },
    element("div", { class: "id", title: problem.key }, idOf(problem), " ",
      element("span", { class: "soft" }, names.subset[problem.subset])), question);
}

const problemTable = {
  unit: "problems",
  items: fittingProblems,
  columns() {
    const models = names.model.map((name, model) => ({
      by: `model:${name}`, heading: names.short[model], title: name, kind: "count", downFirst: true,
      mark: state.a === name ? "A" : state.b === name ? "B" : "",
      value: (one) => share(one, model), cell: (one) => countCell(one, model) }));
    const difference = { by: "difference", heading: differenceName(), kind: "number", downFirst: true,
      value: differenceOf,
      cell: (one) => numberCell(differenceOf(one) === null ? "" : pointsOf(differenceOf(one))) };
    return [
      { by: "key", heading: "problem", value: (one) => one.key, cell: questionCell },
      subsetColumn((one) => one),
      { by: "labels", heading: "functions, techniques", off: true, value: (one) => one.labels,
        cell: (one) => plainCell(one.labels, "wrapped") },
      ...models,
      ...(differenceName() ? [difference] : []),
    ];
  },
  identity: (problem) => problem.key,
  opens: (problem) => ({ problem }),
  header: () => ["problem", "subset", "integrand",
    ...names.model.flatMap((name) => [`${name} correct`, `${name} samples`])],
  async record(problem) {
    const detail = await asked(problem.place);
    return [problem.key, names.subset[problem.subset], detail.asked[0],
      ...names.model.flatMap((_, model) => [problem.correct[model], problem.samples[model]])];
  },
};

const sampleName = (one) => JSON.stringify([one.problem.key, names.model[one.model], one.sample]);

function answerCell(one) {
  const answer = shortFormula(one.answer || "—");
  filling.push(answers(one.place).then((given) => {
    if (given[0]) answer.firstChild.replaceChildren(formula(given));
  }));
  return element("td", { class: "answer wide" }, answer);
}

const sampleTable = {
  unit: "samples",
  items: fittingSamples,
  columns: () => [
    { by: "key", heading: "problem", value: (one) => one.problem.key,
      cell: (one) => element("th", { scope: "row" },
        element("div", { class: "id", title: one.problem.key }, `${idOf(one.problem)} #${one.sample}`)) },
    subsetColumn((one) => one.problem),
    { by: "verdict", heading: "verdict", value: (one) => one.status,
      cell: (one) => element("td", {}, chip(one.status)) },
    { by: "failure", heading: "how it fails", value: (one) => one.failure || null,
      cell: (one) => plainCell(one.failure, "soft") },
    ...(names.model.length > 1
      ? [{ by: "model", heading: "model", value: (one) => names.model[one.model],
        cell: (one) => element("td", { class: "soft", title: names.model[one.model] }, names.short[one.model]) }]
      : []),
    { by: "answer", heading: "answer", value: (one) => one.answer || null, cell: answerCell },
    { by: "finish", heading: "finished by", off: true, value: (one) => one.finish,
      cell: (one) => plainCell(words(one.finish), "soft") },
    { by: "tokens", heading: "tokens", kind: "number", value: (one) => one.tokens,
      cell: (one) => numberCell(one.tokens) },
    { by: "length", heading: "characters", kind: "number", value: (one) => one.length,
      cell: (one) => numberCell(one.length) },
    { by: "seconds", heading: "seconds", kind: "number", value: (one) => one.seconds,
      cell: (one) => numberCell(one.seconds.toFixed(2)) },
  ],
  identity: sampleName,
  opens: (one) => ({ problem: one.problem, sample: one }),
  header: () => ["problem", "subset", "model", "sample", "verdict", "how it fails", "finished by", "answer",
    "tokens", "characters", "seconds"],
  async record(one) {
    const given = await answers(one.place);
    return [one.problem.key, names.subset[one.problem.subset], names.model[one.model], one.sample, one.status,
      one.failure, one.finish, given[0], one.tokens ?? "", one.length, one.seconds];
  },
};

// The columns that are shown: those that are not `off`, but for what `state.columns` turns around.
const turnedAround = () => new Set(state.columns ? state.columns.split(" ") : []);
const shownColumns = (of) => of.columns().filter((column, place) =>
  place === 0 || Boolean(column.off) === turnedAround().has(encodeURIComponent(column.by)));
const makeCells = (of, item) => element("tr", {}, ...shownColumns(of).map((column, place) => {
  const cell = column.cell(item);
  if (place) cell.dataset.heading = column.heading; // shown where a row is a block
  return cell;
}));
