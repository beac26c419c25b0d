"""The tables and figures of "Symbolic Brittleness" for a run, the published ones beside them.

Fail@k of a beam search is that of its k best candidates, as in the paper; of samples it is the mean
over all ways to draw k of them, and in figures over k, where the samples have log-probabilities, of
the k likeliest. Every Fail@k counts what our verifier says; where a run was also judged by the
paper's scorer (``run.py score RUN --method welleck``), that reading stands beside it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources

from ....benchmarks import brittleness
from ....benchmarks.brittleness.primitives import INTEGERS, RANGES, TEMPLATES
from ....benchmarks.problem import Problem
from ....rewards.verdict import Status
from ...core.errors import UserError
from ...report.figures.charts import bars, lines
from ...report.page.sections import Section
from ...report.tables import percent
from ...stats.metrics import Estimate, Tally, estimate, is_ranked, tally_samples
from ...store.run import Run
from ...store.verdict_sets import latest_complete
from .search_error import (
    Mass,
    Ranked,
    blame,
    first_correct_ranks,
    mass_by_outcome,
    top_and_correct,
    unresolved_at_k,
)
from .teacher_forcing import ranked

SOURCE = "Welleck et al., Symbolic Brittleness in Sequence Models (2022)"
REMARK = (
    f"Columns headed “paper” are from {SOURCE}: another model (a sequence-to-sequence transformer "
    "of Lample and Charton), other draws of problems, and a scorer for which a timeout is correct. "
    "A cell is empty where nothing was published, and says “not run” where this run has nothing."
)
NOT_RUN = "not run"
#: The k of the paper's tables, and of its figures over k.
KS = (1, 10, 50)
CURVE = (1, 10, 50, 200, 500)
#: The paper's limit for a candidate, in seconds, for the worst case of Table 14.
LIMIT = 1.0

Where = Callable[[Problem], bool]


@cache
def published() -> Mapping[tuple[str, str, str, str], str]:
    """The published numbers: by place (``table 2``), group, row and measure; as printed."""
    file = resources.files(brittleness) / "published.csv"
    return {
        (row["place"], row["group"], row["row"], row["measure"]): row["value"]
        for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    }


@dataclass(frozen=True)
class Source:
    """One model's answers in a run, under one policy of the verifier."""

    run: Run
    model: str
    policy: str | None = None

    @property
    def label(self) -> str:
        return str(self.run.models[self.model]["label"])

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        return tally_samples(self.run, self.policy)[self.model]

    @property
    def missing(self) -> int:
        """Answers that were planned, and are not judged yet."""
        entry = self.run.models[self.model]
        judged = sum(tally.samples for tally in self.tallies.values())
        return max(0, int(entry["samples"]) * int(entry["problems"]) - judged)

    @cached_property
    def scorer(self) -> str | None:
        """The latest complete policy of the paper's scorer, if the run was judged by it."""
        names = [name for name in self.run.policies if name.startswith("welleck-")]
        latest = latest_complete([self.run], names)
        return latest if latest != self.policy else None

    @cached_property
    def scored(self) -> dict[str, Tally]:
        """What the paper's scorer counts."""
        return tally_samples(self.run, self.scorer)[self.model]

    @cached_property
    def without_timeouts(self) -> dict[str, Tally]:
        """The same where a timeout is not correct, for the sums of validation problems."""
        correct: dict[str, list[int]] = {}
        for row in self.run.verdicts(self.scorer).rows():
            flags = row["evidence"]["flags"]
            if row["model"] == self.model:
                right = row["status"] == Status.CORRECT and "timeout_is_correct" not in flags
                correct.setdefault(row["problem"], [])
                if right:
                    correct[row["problem"]].append(row["sample"])
        return {
            key: replace(
                tally,
                correct=len(correct[key]),
                first=None if tally.first is None else min(correct[key], default=tally.samples),
            )
            for key, tally in self.scored.items()
        }

    @cached_property
    def ranked(self) -> dict[str, Ranked]:
        return ranked(self.run, self.model, self.policy)

    @cached_property
    def samples(self) -> int:
        return min((tally.samples for tally in self.tallies.values()), default=0)

    def keys(self, where: Where) -> list[str]:
        """The problems that were answered and judged, by key."""
        return [
            key
            for key, problem in self.run.problems.items()
            if key in self.tallies and where(problem)
        ]

    def fails(self, keys: Sequence[str], k: int, tallies: Mapping[str, Tally]) -> Estimate | None:
        """Fail@k of these problems; None if there are none, or not k answers of all."""
        found = [tallies[key] for key in keys if key in tallies]
        if not found or len(found) < len(keys) or min(tally.samples for tally in found) < k:
            return None
        return estimate(found, k).failures()


def sources(runs: Iterable[Run], policy: str | None = None) -> list[Source]:
    """Every model of every run, under a policy or each run's latest complete one that is not the
    scorer's.
    """
    found = []
    for run in runs:
        own = [name for name in run.policies if not name.startswith("welleck-")]
        chosen = policy or latest_complete([run], own)
        if chosen is None:
            raise UserError(f"{run.path} was not judged by our verifier: run.py score {run.path}")
        found += [Source(run, model, chosen) for model in run.models]
    return found


def sections(source: Source) -> list[Section]:
    """Everything that there is to say of one model; what was not asked says so."""
    return [
        robustness(source),
        compositions(source),
        nodes(source),
        integers(source),
        large_budget(source),
        masses(source),
        unresolved(source),
        blames(source),
        ranks(source),
        probabilities(source),
        verification(source),
    ]


# --- Fail@k: tables 2, 8, 9, figure 2 ----------------------------------------------------------


def _name(name: str) -> Where:
    return lambda problem: problem.name == f"brittleness/{name}"


def _estimated(found: Estimate | None) -> str:
    if found is None:
        return NOT_RUN
    low, high = found.interval
    return f"{percent(found.value)} [{percent(low)}, {percent(high)}]"


def _headings(source: Source, ks: Sequence[int], first: str, theirs: Sequence[int]) -> list[str]:
    scorer = [f"their scorer Fail@{k}" for k in ks] if source.scorer else []
    return [
        first,
        "problems",
        *(f"Fail@{k}" for k in ks),
        *scorer,
        *(f"paper Fail@{k}" for k in theirs),
    ]


def _ks(source: Source) -> list[int]:
    """The paper's k that there are answers for, and the number of answers itself."""
    return sorted({k for k in KS if k <= source.samples} | {source.samples})


def _row(
    source: Source,
    name: str,
    where: Where,
    place: tuple[str, str, str],
    theirs: Sequence[int],
    strict: bool = False,
) -> tuple[str, ...]:
    """A line of Fail@k: ours, the paper's scorer's on our answers, the published numbers."""
    keys = source.keys(where)
    ks = _ks(source)
    cells = [_estimated(source.fails(keys, k, source.tallies)) for k in ks]
    if source.scorer:
        for k in ks:
            lenient = not (strict and k >= max(KS))
            tallies = source.scored if lenient else source.without_timeouts
            found = source.fails(keys, k, tallies)
            cells.append(NOT_RUN if found is None else percent(found.value))
    beside = [published().get((*place, f"fail@{k}"), "") for k in theirs]
    return (name, str(len(keys)), *cells, *beside)


def _remarks(source: Source) -> list[str]:
    width = source.run.manifest["identity"]["sampling"].get("beams")
    what = f"the best of a beam search of width {width}" if width else "sampled"
    answers = f"{source.samples} answer{'s' * (source.samples != 1)} a problem"
    found = [f"In percent, with 95 % intervals; {answers}, {what}."]
    if not is_ranked(source.run):
        found.append("The paper's Fail@k is over ranked candidates of a beam search.")
    if source.missing:
        found.append(f"Not finished: {source.missing} answers are still to be asked or judged.")
    return found


def robustness(source: Source) -> Section:
    """Table 2."""
    rows = []
    for template in TEMPLATES.values():
        place = ("table 2", "coeff", template.label)
        name = f"primitive_{template.name}"
        rows.append(_row(source, template.label, _name(name), place, KS))
        if source.keys(_name(f"{name}_paper")):
            rows.append(
                _row(source, f"{template.label}, 1 to 100", _name(f"{name}_paper"), place, KS)
            )
    for group, name, label in (
        ("valid_N1", "over_k", "f/k"),
        ("valid_N1", "times_k", "k*f"),
        ("valid_N2", "plus_exp", "f+exp(x)"),
        ("valid_N2", "plus_ln", "f+ln(x)"),
    ):
        rows.append(_row(source, label, _name(name), ("table 2", group, label), KS))
    return Section(
        "Robustness (Table 2)",
        tuple(_headings(source, _ks(source), "problem", KS)),
        tuple(rows),
        (*_remarks(source), "f are problems that the model solved with one of its answers."),
    )


def compositions(source: Source) -> Section:
    """Table 8."""
    rows = []
    for pool in ("exp", "coeff", "valid"):
        for terms in (1, 2, 3, 4):
            name, place = f"{pool}_sum{terms}", ("table 8", pool, str(terms))
            if terms == 1 and not source.keys(_name(name)):
                continue
            rows.append(
                _row(
                    source,
                    f"{pool}, {terms} terms" if terms > 1 else f"{pool}, again",
                    _name(name),
                    place,
                    KS,
                    strict=pool == "valid",
                )
            )
    return Section(
        "Sums of solved problems (Table 8)",
        tuple(_headings(source, _ks(source), "pool", KS)),
        tuple(rows),
        (
            *_remarks(source),
            "“Again” are the solved problems asked once more: 0 by construction for a model that "
            "says the same again (and left out), the luck in having solved them otherwise.",
        ),
    )


def nodes(source: Source) -> Section:
    """Table 9."""
    rows = []
    for label, count in (("1-15", 15), ("20", 20), ("25", 25), ("30", 30), ("35", 35)):
        place, name = ("table 9", "nodes", label), f"operators_{count}"
        rows.append(_row(source, f"{label} operators", _name(name), place, (1, 10)))
        up_to = _name(f"operators_up_to_{count}")
        if source.keys(up_to):
            rows.append(_row(source, f"up to {label} operators", up_to, place, (1, 10)))
    return Section(
        "More operator nodes (Table 9)",
        tuple(_headings(source, _ks(source), "problems of", (1, 10))),
        tuple(rows),
        tuple(_remarks(source)),
    )


def integers(source: Source) -> Section:
    """Figure 2."""
    names = [f"{low}-{high - 1}" for low, high in RANGES]
    series: dict[str, list[Estimate | None]] = {}
    for template in INTEGERS:
        series[template.name] = [
            source.fails(source.keys(_of_range(low, template.label)), 1, source.tallies)
            for low, _ in RANGES
        ]
    shares = {
        name: [None if found is None else found.value for found in estimates]
        for name, estimates in series.items()
    }
    run = any(value is not None for values in shares.values() for value in values)
    return Section(
        "Larger integers: Fail@1 (Figure 2)",
        ("function", *names),
        tuple((name, *map(_estimated, estimates)) for name, estimates in series.items()),
        (
            "Both coefficients from the range. The paper prints no numbers for this figure: x and "
            "ln stay low, exp, sin, cos and tan come near 100 on large coefficients.",
        ),
        lines("Fail@1 by range of the coefficients", names, shares) if run else None,
    )


def _of_range(low: int, label: str) -> Where:
    subset = f"brittleness/integers_{low}"
    return lambda problem: problem.name == subset and problem.metadata["template"] == label


# --- large budgets: figures 5 and 7 ------------------------------------------------------------


def _fail_at(problems: Sequence[Ranked], k: int) -> float | None:
    if not problems or any(len(problem.candidates) < k for problem in problems):
        return None
    return sum(problem.fails(k) for problem in problems) / len(problems)


def _of(source: Source, where: Where) -> list[Ranked]:
    return [source.ranked[key] for key in source.keys(where) if key in source.ranked]


def _curve(source: Source) -> list[int]:
    return sorted({k for k in CURVE if k <= source.samples} | {source.samples})


def _unknown(value: float | None) -> str:
    return NOT_RUN if value is None else percent(value)


def large_budget(source: Source) -> Section:
    """Figure 5."""
    ks = _curve(source)
    shares = {
        name: [_fail_at(_of(source, _name(f"primitive_{name}")), k) for k in ks]
        for name in ("exp", "sin", "cos", "tan")
    }
    rows = []
    for name, values in shares.items():
        beside = [
            published().get(("figure 5", "text only", name, f"fail@{k}"), "") for k in (1, 500)
        ]
        rows.append((name, *map(_unknown, values), *beside))
    run = len(ks) > 1 and any(value is not None for value in shares["exp"])
    return Section(
        "Fail@k with a large budget (Figure 5)",
        ("primitive", *(f"Fail@{k}" for k in ks), "paper Fail@1", "paper Fail@500"),
        tuple(rows),
        (
            "The paper's are what its text says of the figure, the ones for exp only roughly. "
            + _order(source),
        ),
        lines("Fail@k over k", [str(k) for k in ks], shares) if run else None,
    )


def _order(source: Source) -> str:
    if is_ranked(source.run):
        return "Candidates in the order of the beam search."
    return "Samples likeliest first, where their log-probabilities are known; duplicates count."


def decoding(found: Sequence[Source]) -> Section:
    """Figure 7: the ways to get candidates, on the exp primitives, one for each run."""
    ks = sorted({k for source in found for k in _curve(source)})
    rows, shares = [], {}
    for source in found:
        sampling = source.run.manifest["identity"]["sampling"]
        beams, temperature = sampling.get("beams"), sampling.get("temperature")
        name = f"beams {beams}" if beams else f"temperature {temperature:g}"
        if len({other.label for other in found}) > 1:
            name += f", {source.label}"
        problems = _of(source, _name("primitive_exp"))
        values = [_fail_at(problems, k) for k in ks]
        texts = [len({c.text for c in problem.candidates}) for problem in problems]
        unique = f"{sum(texts) / len(texts):.1f} of {source.samples}" if texts else NOT_RUN
        rows.append((name, *map(_unknown, values), unique))
        shares[name] = values
    unique = published()["figure 7", "text only", "exp", "unique of 500 samples"]
    return Section(
        "Sampling or beam search, on exp (Figure 7)",
        ("decoding", *(f"Fail@{k}" for k in ks), "different answers"),
        tuple(rows),
        (
            f"The paper found {unique} different answers among 500 samples, and 500 among 500 "
            "candidates of a beam search, whose Fail@k was the lower.",
        ),
        lines("Fail@k over k", [str(k) for k in ks], shares) if len(ks) > 1 else None,
    )


# --- search or model: tables 12 and 13, figures 4 and 6 ----------------------------------------


def _validation(problem: Problem) -> bool:
    return problem.benchmark != "brittleness"


def _probability(value: float | None) -> str:
    return NOT_RUN if value is None else f"{value:.5f}" if value >= 1e-4 else f"{value:.1e}"


def masses(source: Source) -> Section:
    """Table 12."""
    k = source.samples
    by_outcome = mass_by_outcome(_of(source, _name("primitive_exp")), k) if k else {}
    rows = []
    for failed, name in ((True, "failures"), (False, "successes")):
        found = by_outcome.get(failed, Mass(k, 0, 0, None, None, None))
        theirs = [published()["table 12", "exp", name, m] for m in ("p@1", "p@500", "p@{1..500}")]
        ours = map(_probability, (found.first, found.last, found.total))
        rows.append((f"{name} at {k}", str(found.problems), *ours, *theirs))
    return Section(
        "Probability of the candidates, on exp (Table 12)",
        (
            "",
            "problems",
            "p@1",
            f"p@{k}",
            f"p@{{1..{k}}}",
            "paper p@1",
            "paper p@500",
            "paper p@{1..500}",
        ),
        tuple(rows),
        ("Means over problems; needs log-probabilities (sweep --logprobs, or run.py logprobs).",),
    )


def unresolved(source: Source) -> Section:
    """Table 13."""
    rows = []
    for name, where in (("problems to perturb", _validation), ("exp", _name("primitive_exp"))):
        problems = _of(source, where)
        for k in (1, 10):
            if k > source.samples:
                rows.append((name, str(k), NOT_RUN, NOT_RUN, NOT_RUN, _theirs(name, k)))
                continue
            found = unresolved_at_k(problems, k)
            share = NOT_RUN if found.share is None else percent(found.share)
            scored = str(found.scored)
            rows.append((name, str(k), str(found.failures), scored, share, _theirs(name, k)))
    return Section(
        "Failures that a perfect search would leave (Table 13)",
        ("failures among", "k", "failures", "scored", "Unresolved@k", "paper Unresolved@k"),
        tuple(rows),
        (
            "Share of the failures whose reference is less likely than the top candidate (k = 1) "
            "or the last of ten (k = 10); needs run.py logprobs. The paper's problems are Lample "
            "and Charton's FWD validation set.",
        ),
    )


def _theirs(name: str, k: int) -> str:
    if name == "exp":
        return ""
    return published()["table 13", "FWD validation", "failures", f"unresolved@{k}"]


def blames(source: Source) -> Section:
    """Search errors and model errors of every kind of problem."""
    k = source.samples
    groups: dict[str, list[Ranked]] = {}
    for key in source.keys(lambda problem: True):
        if key in source.ranked:
            groups.setdefault(source.run.problems[key].name, []).append(source.ranked[key])
    rows = []
    for name, problems in groups.items():
        found = blame(problems, k)
        if found.search or found.model:
            rows.append(
                (name, str(len(problems)), str(found.search), str(found.model), str(found.unknown))
            )
    return Section(
        f"Whose fault the failures at {k} are",
        ("subset", "problems", "search errors", "model errors", "not known"),
        tuple(rows or [(NOT_RUN, "", "", "", "")]),
        (
            "A search error: the reference is likelier than every candidate. A reference is one "
            "way to write a solution; another may be likelier.",
        ),
    )


def ranks(source: Source) -> Section:
    """Figure 6."""
    problems = _of(source, _name("primitive_exp"))
    counts = first_correct_ranks(problems)
    edges = [edge for edge in (1, 2, 5, 10, 20, 50, 100, 200, 500) if edge <= source.samples]
    bins: dict[str, int] = {}
    for low, high in zip(edges, [*(edge - 1 for edge in edges[1:]), source.samples], strict=True):
        name = str(low) if low == high else f"{low}-{high}"
        bins[name] = sum(count for rank, count in counts.items() if low <= rank <= high)
    solved = sum(counts.values())
    return Section(
        "Rank of the first correct candidate, on exp (Figure 6)",
        ("", *bins, "none"),
        (("problems", *map(str, bins.values()), str(len(problems) - solved)),),
        ("The paper prints no numbers for this figure.",),
        bars("problems by the rank of the first correct candidate", {"exp": bins})
        if solved
        else None,
    )


def probabilities(source: Source) -> Section:
    """Figure 4."""
    pairs = top_and_correct(_of(source, _name("primitive_exp")))
    decades = ["< 1e-6", "1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1", "0.5 to 1"]
    groups: dict[str, dict[str, int]] = {
        name: dict.fromkeys(decades, 0) for name in ("top", "correct")
    }
    for top, correct in pairs:
        groups["top"][decades[_decade(top)]] += 1
        groups["correct"][decades[_decade(correct)]] += 1
    return Section(
        "Probability of the top candidate and of the first correct one below it, on exp (Figure 4)",
        ("at least", *decades),
        tuple((name, *map(str, counts.values())) for name, counts in groups.items()),
        (
            f"{len(pairs)} problems with a correct candidate below the top and both probabilities "
            "known. The paper prints no numbers for this figure.",
        ),
        bars("candidates by probability", groups) if pairs else None,
    )


def _decade(probability: float) -> int:
    bounds = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5)
    return sum(probability >= bound for bound in bounds)


# --- cost: table 14 ----------------------------------------------------------------------------


def verification(source: Source) -> Section:
    """Table 14."""
    keys = set(source.keys(lambda problem: str(problem.metadata.get("pool")) == "exp"))
    counts = [k for k in KS if k <= source.samples]
    ours = _seconds(source, source.policy, keys, counts)
    theirs = _seconds(source, source.scorer, keys, counts) if source.scorer else {}
    rows = []
    for k in KS:
        place = ("table 14", "exp sums", str(k))
        rows.append(
            (
                str(k),
                str(len(keys)),
                _hours(ours.get(k)),
                _hours(theirs.get(k)),
                _hours(k * LIMIT * len(keys) if keys else None),
                published()[*place, "hours"],
                published()[*place, "worst case hours"],
            )
        )
    return Section(
        "Time to verify the sums of powers and roots (Table 14)",
        (
            "candidates",
            "problems",
            "our verifier, hours",
            "their scorer, hours",
            "worst case, hours",
            "paper, hours",
            "paper worst case",
        ),
        tuple(rows),
        (
            "Summed over candidates, stopping at a problem's first correct one; the worst case is "
            "one second for each candidate. The paper's are for 3,000 problems.",
        ),
    )


def _seconds(
    source: Source, policy: str | None, keys: Set[str], counts: Sequence[int]
) -> dict[int, float]:
    """Seconds spent on these problems' first candidates, for every count of them."""
    spent: dict[str, dict[int, tuple[float, bool]]] = {}
    for row in source.run.verdicts(policy).rows():
        if row["model"] == source.model and row["problem"] in keys:
            correct = row["status"] == Status.CORRECT
            found = spent.setdefault(row["problem"], {})
            found[row["sample"]] = row["evidence"]["seconds"], correct
    totals = dict.fromkeys(counts, 0.0) if spent else {}
    for count in totals:
        for candidates in spent.values():
            for rank in range(count):
                seconds, correct = candidates.get(rank, (0.0, False))
                totals[count] += seconds
                if correct:
                    break
    return totals


def _hours(seconds: float | None) -> str:
    if seconds is None:
        return NOT_RUN
    hours = seconds / 3600
    return f"{hours:.3f}" if hours >= 0.001 else f"{hours:.1e}"
