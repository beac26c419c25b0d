"""Fail@k with many candidates, and by decoding method: Figures 5 and 7 of Welleck et al."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...report.figures.curves import category_chart
from ...report.figures.figure import Figure
from ...report.sections import Section
from ...stats.tallies import is_ranked
from .answers import (
    NOT_RUN,
    ModelAnswers,
    named,
    percent_or_not_run,
    published,
    ranked_where,
)
from .search_error import Ranked

#: The k of the paper's figures over k.
CURVE = (1, 10, 50, 200, 500)


def _figure(name: str, ks: Sequence[int], shares: Mapping[str, Sequence[float | None]]) -> Figure:
    return category_chart(name, "Fail@k over k", [str(k) for k in ks], shares, ordered=True)


def _fail_at(problems: Sequence[Ranked], k: int) -> float | None:
    if not problems or any(len(problem.candidates) < k for problem in problems):
        return None
    return sum(problem.fails(k) for problem in problems) / len(problems)


def _curve(source: ModelAnswers) -> list[int]:
    return sorted({k for k in CURVE if k <= source.samples} | {source.samples})


def large_budget(source: ModelAnswers) -> Section:
    """Make Figure 5 of Welleck et al.: Fail@k for large k."""
    ks = _curve(source)
    shares = {
        name: [_fail_at(ranked_where(source, named(f"primitive_{name}")), k) for k in ks]
        for name in ("exp", "sin", "cos", "tan")
    }
    rows = []
    for name, values in shares.items():
        paper_cells = [
            published().get(("figure 5", "text only", name, f"fail@{k}"), "") for k in (1, 500)
        ]
        rows.append((name, *map(percent_or_not_run, values), *paper_cells))
    run = len(ks) > 1 and any(value is not None for value in shares["exp"])
    return Section(
        "Fail@k with a large budget (Figure 5)",
        ("primitive", *(f"Fail@{k}" for k in ks), "paper Fail@1", "paper Fail@500"),
        tuple(rows),
        (
            "The paper's are what its text says of the figure, the ones for exp only roughly. "
            + _order(source),
        ),
        (_figure("large_budget", ks, shares),) if run else (),
    )


def _order(source: ModelAnswers) -> str:
    if is_ranked(source.run):
        return "Candidates in the order of the beam search."
    return "Samples likeliest first, where their log-probabilities are known; duplicates count."


def decoding(sources: Sequence[ModelAnswers]) -> Section:
    """Make Figure 7 of Welleck et al.: Fail@k of each decoding method.

    The problems are from ``brittleness/primitive_exp``. Each run uses one decoding method.
    """
    ks = sorted({k for source in sources for k in _curve(source)})
    rows: list[tuple[str, ...]] = []
    shares: dict[str, list[float | None]] = {}
    for source in sources:
        sampling = source.run.manifest["identity"]["sampling"]
        beams, temperature = sampling.get("beams"), sampling.get("temperature")
        name = f"beams {beams}" if beams else f"temperature {temperature:g}"
        if len({answers.label for answers in sources}) > 1:
            name += f", {source.label}"
        problems = ranked_where(source, named("primitive_exp"))
        values = [_fail_at(problems, k) for k in ks]
        texts = [len({c.text for c in problem.candidates}) for problem in problems]
        unique = f"{sum(texts) / len(texts):.1f} of {source.samples}" if texts else NOT_RUN
        rows.append((name, *map(percent_or_not_run, values), unique))
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
        (_figure("decoding", ks, shares),) if len(ks) > 1 else (),
    )
