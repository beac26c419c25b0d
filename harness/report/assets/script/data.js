// The data of the page: the index of the problems at once, all else when it is shown.
const CHUNK = 128;

async function unpack(id) {
  const packed = atob(field(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// Reads a row by its place; some of the chunks are kept.
function chunks(name, most) {
  const kept = new Map();
  return (place) => {
    const chunk = Math.floor(place / CHUNK);
    const rows = kept.get(chunk) ?? unpack(`${name}-${chunk}`);
    kept.delete(chunk);
    kept.set(chunk, rows);
    if (kept.size > most) kept.delete(kept.keys().next().value);
    return rows.then((all) => all[place % CHUNK]);
  };
}

const asked = chunks("problems", 100);
const answers = chunks("answers", 200);
const details = chunks("details", 20);

let names, problems = [];

async function loadProblems() {
  const index = await unpack("index");
  names = index.names;
  const children = new Map();
  problems = index.key.map((key, place) => ({
    place, key, subset: index.subset[place], asked: index.asked[place], parent: index.parent[place],
    labels: index.labels[place], words: `${key} ${index.asked[place]} ${index.labels[place]}`.toLowerCase(),
    samples: index.counts.map((one) => one.samples[place]),
    correct: index.counts.map((one) => one.correct[place]),
    seen: index.counts.reduce((bits, one) => bits | one.seen[place], 0),
    seenBy: index.counts.map((one) => one.seen[place]),
    children: [],
  }));
  for (const problem of problems) {
    if (problem.parent >= 0) problems[problem.parent].children.push(problem);
  }
}

// The samples, when they are first needed: all, and by problem.
let loading = null;
function loadSamples() {
  loading ??= unpack("samples").then((index) => {
    const columns = Object.entries(index);
    const all = index.problem.map((_, place) => {
      const row = Object.fromEntries(columns.map(([name, values]) => [name, values[place]]));
      return { ...row, place, problem: problems[row.problem], status: names.status[row.status],
        finish: names.finish[row.finish], failure: names.failure[row.failure] };
    });
    all.sort((a, b) => a.problem.place - b.problem.place || a.model - b.model || a.sample - b.sample);
    const by = Map.groupBy
      ? Map.groupBy(all, (one) => one.problem)
      : all.reduce((map, one) => map.set(one.problem, [...map.get(one.problem) ?? [], one]), new Map());
    return { all, of: (problem, model) => (by.get(problem) ?? []).filter((one) => model === undefined || one.model === model) };
  });
  return loading;
}

// The share of correct samples; null where there are none, or of a model with nothing but errors.
const share = (problem, model) =>
  problem.samples[model] && names.scored[model] ? problem.correct[model] / problem.samples[model] : null;
// The original, the problem itself, and all else that was made from the original.
function family(problem) {
  let first = problem;
  const seen = new Set([problem]);
  while (first.parent >= 0 && !seen.has(problems[first.parent])) seen.add(first = problems[first.parent]);
  const made = [first];
  for (const one of made) made.push(...one.children.filter((child) => !made.includes(child)));
  return [...new Set([first, problem, ...made])];
}
