// The table of problems: a row a problem, and for each model how many samples are correct.
const pointsOf = (value) => { // in percentage points; a range has no sign
  const sign = !comparesPairs() && !comparesModels() ? "" : value > 0 ? "+" : value < 0 ? "−" : "";
  return sign + Math.round(100 * Math.abs(value));
};

function countCell(problem, model) {
  const samples = problem.samples[model], correct = problem.correct[model];
  const title = `${names.model[model]}: ${samples ? `${correct} of ${samples} correct` : "no samples"}`;
  const cell = element("td", { class: samples ? correct ? "count" : "count zero" : "count soft", title },
    samples ? `${correct}/${samples}` : "–");
  cell.dataset.model = model;
  if (samples) cell.style.setProperty("--share", `${Math.round((100 * correct) / samples)}%`);
  return cell;
}

const problemTable = {
  unit: "problems",
  items: fittingProblems,
  columns() {
    const columns = [{ by: "key", heading: "problem", value: (one) => one.key }];
    names.model.forEach((name, model) => columns.push({
      by: `model:${name}`, heading: names.short[model], title: name, kind: "count", downFirst: true,
      mark: state.a === name ? "A" : state.b === name ? "B" : "",
      value: (one) => share(one, model),
    }));
    if (differenceName()) {
      columns.push({ by: "difference", heading: differenceName(), kind: "number", downFirst: true,
        value: differenceOf });
    }
    return columns;
  },
  identity: (problem) => problem.key,
  opens: (problem) => ({ problem }),
  row(problem) {
    const question = element("div", { class: "formula" }, problem.asked);
    const id = problem.key.slice(names.subset[problem.subset].length + 1);
    const made = element("tr", {},
      element("th", { scope: "row" },
        element("div", { class: "id", title: problem.key }, id, " ",
          element("span", { class: "soft" }, names.subset[problem.subset])), question),
      ...names.model.map((_, model) => countCell(problem, model)));
    if (differenceName()) {
      const value = differenceOf(problem);
      made.append(element("td", { class: "number" }, value === null ? "" : pointsOf(value)));
    }
    made.ready = asked(problem.place).then((detail) => question.replaceChildren(formula(detail.asked)));
    return made;
  },
  header: () => ["problem", "subset", "integrand",
    ...names.model.flatMap((name) => [`${name} correct`, `${name} samples`])],
  async record(problem) {
    const detail = await asked(problem.place);
    return [problem.key, names.subset[problem.subset], detail.asked[0],
      ...names.model.flatMap((_, model) => [problem.correct[model], problem.samples[model]])];
  },
};

// The table of samples: a row a sample.
const sampleName = (one) => JSON.stringify([one.problem.key, names.model[one.model], one.sample]);

const sampleTable = {
  unit: "samples",
  items: fittingSamples,
  columns: () => [
    { by: "key", heading: "problem", value: (one) => one.problem.key },
    { by: "verdict", heading: "verdict", value: (one) => one.status },
    ...(names.model.length > 1
      ? [{ by: "model", heading: "model", value: (one) => names.model[one.model] }] : []),
    { by: "answer", heading: "answer", value: (one) => one.answer || null },
    { by: "tokens", heading: "tokens", kind: "number", value: (one) => one.tokens },
    { by: "length", heading: "characters", kind: "number", value: (one) => one.length },
    { by: "seconds", heading: "seconds", kind: "number", value: (one) => one.seconds },
  ],
  identity: sampleName,
  opens: (one) => ({ problem: one.problem, sample: one }),
  row(one) {
    const answer = element("div", { class: "formula" }, one.answer || "—");
    const id = one.problem.key.slice(names.subset[one.problem.subset].length + 1);
    const made = element("tr", {},
      element("th", { scope: "row" },
        element("div", { class: "id", title: one.problem.key }, `${id} #${one.sample}`)),
      element("td", {}, chip(one.status)),
      ...(names.model.length > 1
        ? [element("td", { class: "soft", title: names.model[one.model] }, names.short[one.model])]
        : []),
      element("td", { class: "answer" }, answer),
      element("td", { class: "number" }, one.tokens === null ? "" : String(one.tokens)),
      element("td", { class: "number" }, String(one.length)),
      element("td", { class: "number" }, one.seconds.toFixed(2)));
    made.ready = answers(one.place).then((given) => {
      if (given[1]) answer.replaceChildren(formula(given));
    });
    return made;
  },
  header: () => ["problem", "subset", "model", "sample", "verdict", "answer", "tokens", "characters", "seconds"],
  async record(one) {
    const given = await answers(one.place);
    return [one.problem.key, names.subset[one.problem.subset], names.model[one.model], one.sample,
      one.status, given[0], one.tokens ?? "", one.length, one.seconds];
  },
};
