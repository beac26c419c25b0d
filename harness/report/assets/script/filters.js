// Which problems and samples are shown, and in which order.
const SOLVED = 0.5; // a model solves a problem if at least half of its samples are correct
const solves = (problem, model) => share(problem, model) >= SOLVED && share(problem, model) !== null;
const fails = (problem, model) => share(problem, model) < SOLVED && share(problem, model) !== null;
const everyModel = () => names.model.map((_, model) => model);

// The two chosen models by their places; -1 for none.
const chosenModels = () => [names.model.indexOf(state.a), names.model.indexOf(state.b)];
const comparesModels = () => chosenModels().every((model) => model >= 0) && state.a !== state.b;
const comparesPairs = () => ["original-only", "perturbed-only"].includes(state.show);

// Whether, for a model, the original and what was made from it have these outcomes.
function paired(problem, original, perturbed) {
  const before = problems[problem.parent], [a] = chosenModels();
  return before !== undefined && (a >= 0 ? [a] : everyModel())
    .some((model) => original(before, model) && perturbed(problem, model));
}

// Outcomes that are about the models A and B, with what they are called.
const OF_TWO = new Map([["both", "both solve"], ["a-not-b", "only A"], ["b-not-a", "only B"], ["neither", "neither"]]);
const SHOWN_BY = {
  "": () => true,
  "a-not-b": (problem) => solves(problem, chosenModels()[0]) && fails(problem, chosenModels()[1]),
  "b-not-a": (problem) => solves(problem, chosenModels()[1]) && fails(problem, chosenModels()[0]),
  both: (problem) => chosenModels().every((model) => solves(problem, model)),
  neither: (problem) => chosenModels().every((model) => fails(problem, model)),
  "original-only": (problem) => paired(problem, solves, fails),
  "perturbed-only": (problem) => paired(problem, fails, solves),
  disagree: (problem) => everyModel().some((model) => solves(problem, model)) &&
    everyModel().some((model) => fails(problem, model)),
  none: (problem) => problem.correct.every((count) => !count) && problem.samples.some(Boolean),
  all: (problem) => everyModel().every((model) => !fails(problem, model)) && problem.samples.some(Boolean),
};

// What the column of differences holds: its heading, and its value for a problem.
const differenceName = () => comparesPairs() ? "perturbed − original"
  : comparesModels() ? "A − B" : names.model.length > 1 ? "range" : "";

function differenceOf(problem) {
  const [a, b] = chosenModels();
  if (comparesPairs()) {
    const changes = (a >= 0 ? [a] : everyModel())
      .filter((model) => share(problem, model) !== null && share(problems[problem.parent], model) !== null)
      .map((model) => share(problem, model) - share(problems[problem.parent], model));
    return changes.sort((one, other) => Math.abs(other) - Math.abs(one))[0] ?? null;
  }
  if (comparesModels()) {
    const [one, other] = [share(problem, a), share(problem, b)];
    return one === null || other === null ? null : one - other;
  }
  const shares = everyModel().map((model) => share(problem, model)).filter((one) => one !== null);
  return shares.length ? Math.max(...shares) - Math.min(...shares) : null;
}

async function fittingProblems() {
  const wanted = state.find.toLowerCase().split(/\s+/).filter(Boolean);
  const samples = state.failure ? await loadSamples() : null;
  const bit = names.status.indexOf(state.verdict), [a] = chosenModels();
  return problems.filter((problem) =>
    (!state.subset || names.subset[problem.subset] === state.subset) &&
    (bit < 0 || ((a < 0 ? problem.seen : problem.seenBy[a]) >> bit) & 1) &&
    (SHOWN_BY[state.show] ?? SHOWN_BY[""])(problem) &&
    (!samples || samples.of(problem, a < 0 ? undefined : a).some((one) => one.failure === state.failure)) &&
    wanted.every((word) => problem.words.includes(word)));
}

async function fittingSamples() {
  const wanted = state.find.toLowerCase().split(/\s+/).filter(Boolean);
  const { all } = await loadSamples(), [a] = chosenModels();
  const shown = SHOWN_BY[state.show] ?? SHOWN_BY[""];
  return all.filter((one) =>
    (a < 0 || one.model === a) &&
    (!state.subset || names.subset[one.problem.subset] === state.subset) &&
    (!state.verdict || one.status === state.verdict) &&
    (!state.failure || one.failure === state.failure) && shown(one.problem) &&
    wanted.every((word) => one.problem.words.includes(word) || one.answer.toLowerCase().includes(word)));
}

// Sorted by `value`; what has none comes last.
function sorted(items, value, down) {
  const keyed = items.map((item, order) => [value(item), order, item]);
  keyed.sort(([a, first], [b, second]) => {
    if (a === null || b === null) return (a === null) - (b === null) || first - second;
    const order = typeof a === "number" ? a - b : byText.compare(a, b);
    return (down ? -order : order) || first - second;
  });
  return keyed.map(([, , item]) => item);
}
