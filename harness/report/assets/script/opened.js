// An opened problem: its family side by side, and two samples of it with the difference of their
// answers.
// A text, or one in pieces: what is claimed in it has its judgement, its kind and the reason.
const pieces = (text) => (typeof text === "string" ? [text] : text.map((piece) => {
  if (typeof piece === "string") return piece;
  const [words, judgement, kind, reason] = piece;
  const title = `${kind}: ${judgement}${reason && `\n${reason}`}`;
  return element("span", { class: `claim is-${judgement}`, title, "aria-description": title }, words);
}));

function textPart(title, [head, left, tail], command) {
  const box = element("pre", { tabindex: "0" }, ...(head.length || tail.length ? pieces(head) : ["(nothing)"]));
  if (left) {
    box.append(element("span", { class: "soft" }, `\n\n[... ${left} characters; the whole: `,
      element("code", {}, command), " ...]\n\n"), ...pieces(tail));
  }
  return element("div", {}, element("h4", {}, title), box);
}

// The same without marks, as one text.
function unmarked([head, left, tail]) {
  const plain = (text) => (typeof text === "string" ? [text] : text.map((piece) => [piece].flat()[0])).join("");
  return plain(head) + (left ? `[... ${left} characters ...]` : "") + plain(tail);
}

const command = (problem, model, sample) =>
  `calculus-harness view ${names.run[names.modelRun[model]]} ${problem.key}${sample === undefined ? "" : `#${sample}`}`;

// Folded: the request as it was rendered, and what was stored of the response.
function rawPart(problem, prompt, one, detail) {
  if (!detail.response) return [];
  const request = { model: names.model[one.model], ...names.request[one.model], seed: detail.response[0].seed,
    ...(prompt ?? { prompt: "cannot be rendered any more" }) };
  const shown = (title, value) => element("div", {}, element("h4", {}, title),
    element("pre", { tabindex: "0" }, JSON.stringify(value, null, 2)));
  const [stored, left] = detail.response, { Reasoning: reasoning, Completion: text } = detail.texts;
  const response = { ...stored, ...(reasoning && { reasoning: unmarked(reasoning) }), text: unmarked(text) };
  return [element("details", { class: "raw" }, element("summary", {}, "Request and response, raw"),
    shown("Request", request), shown("Response as stored", response),
    ...(left ? [element("p", { class: "soft" }, `Left out here: ${left}. The whole: `,
      element("code", {}, `${command(problem, one.model, one.sample)} --json`))] : []))];
}

function facts(pairs) {
  return element("dl", {}, ...pairs.flatMap(([name, value]) =>
    [element("dt", {}, name), element("dd", {}, value)]));
}

// One problem of a family, with the samples of every model; a click on a count shows a sample.
function member(problem, detail, current, choose) {
  const made = element("article", { class: "member", "aria-current": String(current) },
    element("h4", {}, problem.key, " ", element("span", { class: "soft" },
      problem.parent < 0 ? problem.children.length ? "original" : "" : "perturbed")),
    ...shownFormula(detail.asked, element("code", { class: "latex soft" }, detail.asked[0])));
  if (detail.reference[0]) {
    made.append(element("h4", {}, "Reference"), ...shownFormula(detail.reference, null));
  }
  if (detail.facts.length) made.append(facts(detail.facts));
  const counts = names.short.map((name, model) => {
    const button = element("button", { type: "button" }, `${problem.correct[model]}/${problem.samples[model]}`);
    button.addEventListener("click", () => choose(problem, model));
    return element("tr", {}, element("th", { scope: "row", title: names.model[model] }, name),
      element("td", { class: "number" }, problem.samples[model] ? button : "–"));
  });
  made.append(element("table", { class: "counts" }, element("tbody", {}, ...counts)));
  return made;
}

// What a sample is best read beside: a correct one beside others, another verdict beside a correct
// one; of the same problem and model, of the same model on a twin, of another model.
function counterpart(one, relatives, samples) {
  const others = relatives.flatMap((problem) => samples.of(problem)).filter((other) => other !== one);
  const wanted = (other) => (one.status === "correct" ? other.status !== "correct" : other.status === "correct");
  const near = (other) => 2 * (other.problem === one.problem) + (other.model === one.model);
  const rank = (other) => 4 * wanted(other) + near(other);
  return others.reduce((best, other) => (best === null || rank(other) > rank(best) ? other : best), null);
}

// The two samples to begin with: what the filters are about, or else a wrong sample and a right one.
function firstPair(problem, relatives, samples) {
  const pick = (of, model, correct) => samples.of(of, model)
    .find((one) => (one.status === "correct") === correct) ?? samples.of(of, model)[0];
  const [a, b] = chosenModels();
  if (comparesPairs() && problem.parent >= 0) {
    const model = a >= 0 ? a : everyModel().find((one) => differenceOf(problem) ===
      share(problem, one) - share(problems[problem.parent], one));
    const before = state.show === "original-only";
    return [pick(problems[problem.parent], model, before), pick(problem, model, !before)];
  }
  if (comparesModels()) return [pick(problem, a, true), pick(problem, b, false)];
  const one = pick(problem, a >= 0 ? a : undefined, false) ?? relatives.flatMap((other) => samples.of(other))[0];
  return [one, undefined];
}

async function pane(one, parts, relatives, samples, choose) {
  if (one === null) return element("div", { class: "pane" }, element("p", { class: "soft" }, "No other sample."));
  const [given, detail] = await Promise.all([answers(one.place), details(one.place)]);
  const first = (problem, model) => samples.of(problem, model)[0] ?? samples.of(problem)[0];
  const having = relatives.filter((problem) => samples.of(problem).length);
  const models = everyModel().filter((model) => samples.of(one.problem, model).length);
  const picks = element("div", { class: "picks" });
  if (having.length > 1) {
    picks.append(choice("Problem", having.map((problem) => [problem.place, problem.key]), one.problem.place,
      (place) => choose(first(problems[place], one.model))));
  }
  picks.append(choice("Model", models.map((model) => [model, names.model[model]]), one.model,
    (model) => choose(first(one.problem, Number(model)))));
  const siblings = element("div", { class: "siblings", role: "group", "aria-label": "Samples" });
  for (const other of samples.of(one.problem, one.model)) {
    const button = element("button", { type: "button", class: `s-${other.status}`,
      "aria-pressed": String(other === one) }, `#${other.sample} ${words(other.status)}`);
    button.addEventListener("click", () => choose(other));
    siblings.append(button);
  }
  const whole = command(one.problem, one.model, one.sample);
  const made = element("div", { class: "pane" }, picks, siblings, element("p", {}, chip(one.status),
    one.failure ? element("span", { class: "soft" }, ` ${one.failure}`) : ""));
  if (given[0]) made.append(element("h4", {}, "Answer"), ...shownFormula(given, marked(parts ?? [[given[0], false]])));
  made.append(element("h4", {}, "Evidence"), facts([...(detail.facts ?? []), ["in full", whole]]));
  if (detail.plot) made.append(element("div", { class: "witness" }, plot(detail.plot)));
  for (const [title, text] of Object.entries(detail.texts ?? {})) made.append(textPart(title, text, whole));
  made.append(...rawPart(one.problem, (await asked(one.problem.place)).request, one, detail));
  return made;
}

// Fills `box`; `wanted` are the names of the samples to show, and `chosen` is told of changes.
async function openProblem(box, problem, wanted, chosen) {
  const relatives = family(problem);
  const [samples, ...of] = await Promise.all([loadSamples(), ...relatives.map((one) => asked(one.place))]);
  const every = relatives.flatMap((one) => samples.of(one));
  const named = (name) => name && every.find((one) => sampleName(one) === name);
  let [left, right] = firstPair(problem, relatives, samples);
  left = named(wanted.left) || left || right || null;
  right = named(wanted.right) || (!wanted.left && right) || (left && counterpart(left, relatives, samples));
  const members = cuttable(element("div", { class: "family" })), panes = element("div", { class: "panes" });
  const detail = of[relatives.indexOf(problem)];
  box.append(members);
  if (detail.prompt) {
    box.append(element("details", {}, element("summary", {}, "Prompt"),
      textPart(problem.key, detail.prompt, command(problem, left?.model ?? 0))));
  }
  box.append(panes);
  async function show() {
    const pair = [left, right].filter(Boolean);
    const [one, other] = await Promise.all(pair.map((sample) => answers(sample.place)));
    const parts = other && one[0] && other[0] ? difference(one[0], other[0]) : [null, null];
    // Of two models that are compared, the other's sample of the same problem and number.
    const beside = (sample) => {
      const other = comparesModels() && chosenModels().find((model) => model !== sample.model);
      const its = other === false ? [] : samples.of(sample.problem, other);
      return its.find((one) => one.sample === sample.sample) ?? its[0] ?? counterpart(sample, relatives, samples);
    };
    const choose = (side) => (sample) => {
      if (side === 0) [left, right] = [sample, beside(sample)];
      else right = sample;
      chosen(left && sampleName(left), right && sampleName(right));
      return show();
    };
    members.replaceChildren(...relatives.map((relative, at) => member(relative, of[at], relative === left?.problem,
      (of, model) => samples.of(of, model).length && choose(0)(samples.of(of, model)[0]))));
    if (!left) {
      panes.replaceChildren(element("p", { class: "soft" }, "The samples are not in this page: ",
        element("code", {}, command(problem, 0))));
      return;
    }
    panes.replaceChildren(...await Promise.all([left, right].map((sample, side) =>
      pane(sample, parts[side], relatives, samples, choose(side)))));
  }
  await show();
}
