"""Tables 12 and 13 and Figures 4 and 6 of Welleck et al., and counts of search errors."""

from __future__ import annotations

from ...core.wording import counted
from ...report.figures.bars import count_bars
from ...report.numbers import percent
from ...report.sections import Section
from .answers import NOT_RUN, ModelAnswers, named, of_other_benchmarks, published, ranked_where
from .search_error import (
    Mass,
    Ranked,
    failure_causes,
    first_correct_ranks,
    mass_by_outcome,
    top_and_correct,
    unresolved_at_k,
)


def _probability(value: float | None) -> str:
    return NOT_RUN if value is None else f"{value:.5f}" if value >= 1e-4 else f"{value:.1e}"


def masses(source: ModelAnswers) -> Section:
    """Make Table 12 of Welleck et al. (for ``primitive_exp``): the candidates' probabilities."""
    k = source.samples
    by_outcome = mass_by_outcome(ranked_where(source, named("primitive_exp")), k) if k else {}
    rows = []
    for failed, name in ((True, "failures"), (False, "successes")):
        mass = by_outcome.get(failed, Mass(0, 0, None, None, None))
        theirs = [published()["table 12", "exp", name, m] for m in ("p@1", "p@500", "p@{1..500}")]
        ours = map(_probability, (mass.first, mass.last, mass.total))
        rows.append((f"{name} at {k}", str(mass.problems), *ours, *theirs))
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
        ("Means over problems; needs log-probabilities (`sweep --logprobs`, or `logprobs`).",),
    )


def unresolved(source: ModelAnswers) -> Section:
    """Make Table 13 of Welleck et al.: failures that would remain with a perfect beam search."""
    rows = []
    for name, where in (
        ("problems to perturb", of_other_benchmarks),
        ("exp", named("primitive_exp")),
    ):
        problems = ranked_where(source, where)
        for k in (1, 10):
            if k > source.samples:
                rows.append((name, str(k), NOT_RUN, NOT_RUN, NOT_RUN, _theirs(name, k)))
                continue
            counted = unresolved_at_k(problems, k)
            share = NOT_RUN if counted.share is None else percent(counted.share)
            scored = str(counted.scored)
            rows.append((name, str(k), str(counted.failures), scored, share, _theirs(name, k)))
    return Section(
        "Failures that a perfect search would leave (Table 13)",
        ("failures among", "k", "failures", "scored", "Unresolved@k", "paper Unresolved@k"),
        tuple(rows),
        (
            "Share of the failures whose reference is less likely than the top candidate (k = 1) "
            "or the last of ten (k = 10); needs `logprobs`. The paper's problems are Lample "
            "and Charton's FWD validation set.",
        ),
    )


def _theirs(name: str, k: int) -> str:
    if name == "exp":
        return ""
    return published()["table 13", "FWD validation", "failures", f"unresolved@{k}"]


def causes(source: ModelAnswers) -> Section:
    """Count search errors and model errors (`search_error`) among the failures of every subset."""
    k = source.samples
    groups: dict[str, list[Ranked]] = {}
    for key in source.keys(lambda problem: True):
        if key in source.ranked:
            groups.setdefault(source.run.problems[key].name, []).append(source.ranked[key])
    rows = []
    for name, problems in groups.items():
        counted = failure_causes(problems, k)
        if counted.search or counted.model:
            rows.append(
                (
                    name,
                    str(len(problems)),
                    str(counted.search),
                    str(counted.model),
                    str(counted.unknown),
                )
            )
    return Section(
        f"Search errors and model errors among the failures at {k}",
        ("subset", "problems", "search errors", "model errors", "not known"),
        tuple(rows or [(NOT_RUN, "", "", "", "")]),
        (
            "A search error: the reference is likelier than every candidate. A reference is one "
            "way to write a solution; another may be likelier.",
        ),
    )


def ranks(source: ModelAnswers) -> Section:
    """Make Figure 6 of Welleck et al.: ranks of first correct candidates for ``primitive_exp``."""
    problems = ranked_where(source, named("primitive_exp"))
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
        (count_bars("ranks", "problems by the rank of the first correct candidate", {"exp": bins}),)
        if solved
        else (),
    )


def probabilities(source: ModelAnswers) -> Section:
    """Make Figure 4 of Welleck et al.: probabilities of the top and the best correct candidate."""
    pairs = top_and_correct(ranked_where(source, named("primitive_exp")))
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
            f"{counted(len(pairs), 'problem')} with a correct candidate below the top and both "
            "probabilities known. The paper prints no numbers for this figure.",
        ),
        (count_bars("probabilities", "candidates by probability", groups),) if pairs else (),
    )


def _decade(probability: float) -> int:
    bounds = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5)
    return sum(probability >= bound for bound in bounds)
