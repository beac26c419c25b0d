"""Fail@k of perturbed problems: Tables 2, 8 and 9 and Figure 2 of Welleck et al."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....benchmarks.brittleness.primitives import INTEGERS, RANGES, TEMPLATES
from ...core.wording import counted
from ...report.figures.curves import category_chart
from ...report.numbers import percent, with_interval
from ...report.sections import Section
from ...stats.tallies import Estimate, Tally, is_ranked
from .answers import KS, NOT_RUN, ModelAnswers, Where, named, published


def _estimated(estimate: Estimate | None) -> str:
    if estimate is None:
        return NOT_RUN
    return with_interval(estimate.value, estimate.interval)


#: The width of the paper's beam search for each of its k.
WIDTHS = {1: 10, 10: 10, 50: 50}


def _fail_at(source: ModelAnswers, k: int) -> str:
    """The heading ``Fail@k``. The beam width is added if it differs from Welleck et al.'s."""
    width = source.run.manifest["identity"]["sampling"].get("beams")
    published_width = not width or width == WIDTHS.get(k, width)
    return f"Fail@{k}" if published_width else f"Fail@{k} (width {width})"


def _headings(
    source: ModelAnswers, ks: Sequence[int], row_heading: str, theirs: Sequence[int]
) -> list[str]:
    judged = source.scorer or source.protocol
    scorer = [f"their scorer {_fail_at(source, k)}" for k in ks] if judged else []
    return [
        row_heading,
        "problems",
        *(_fail_at(source, k) for k in ks),
        *scorer,
        *(f"paper Fail@{k}" for k in theirs),
    ]


def _ks(source: ModelAnswers) -> list[int]:
    """The values of k in Welleck et al. up to the number of answers, and this number."""
    return sorted({k for k in KS if k <= source.samples} | {source.samples})


def _row(
    source: ModelAnswers,
    name: str,
    where: Where,
    published_key: tuple[str, str, str],
    theirs: Sequence[int],
    *,
    valid: bool = False,
    strict: bool = False,
) -> tuple[str, ...]:
    """Make a row with Fail@k by our verifier, by Welleck et al.'s scorer, and as published.

    The first two values are computed from the run's answers.
    """
    keys = source.keys(where)
    ks = _ks(source)
    cells = [_estimated(source.fails(keys, k, source.tallies)) for k in ks]
    if source.scorer or source.protocol:
        for k in ks:
            credit = not (strict and k >= max(KS))
            tallies = _scorers(source, valid=valid, credit=credit)
            estimate = source.fails(keys, k, tallies)
            cells.append(NOT_RUN if estimate is None else percent(estimate.value))
    paper_cells = [published().get((*published_key, f"fail@{k}"), "") for k in theirs]
    return (name, str(len(keys)), *cells, *paper_cells)


def _scorers(source: ModelAnswers, *, valid: bool, credit: bool) -> Mapping[str, Tally]:
    """Count each problem's answers by the verdicts of Welleck et al.'s scorer.

    If ``valid`` is true, the counts use verdicts with one time limit for all candidates of a
    problem. If the run has no such verdicts, or ``valid`` is false, each candidate has its own time
    limit. If ``credit`` is true, an answer that reaches the time limit counts as correct.
    """
    if valid and source.protocol:
        return source.protocol_tallies(credit=credit)
    if source.scorer is None:
        return {}
    return source.scorer_tallies if credit else source.without_timeouts


def _remarks(source: ModelAnswers) -> list[str]:
    width = source.run.manifest["identity"]["sampling"].get("beams")
    what = f"the best of a beam search of width {width}" if width else "sampled"
    if source.run.models[source.model].get("deterministic"):
        what = "of a deterministic model"
    answers = f"{source.samples} answer{'s' * (source.samples != 1)} a problem"
    lines = [f"In percent, with 95 % intervals; {answers}, {what}."]
    if not is_ranked(source.run):
        lines.append("The paper's Fail@k is over ranked candidates of a beam search.")
    if source.missing:
        lines.append(
            f"Not finished: {counted(source.missing, 'answer')} still to be asked or judged."
        )
    return lines


def robustness(source: ModelAnswers) -> Section:
    """Make Table 2 of Welleck et al.: Fail@k under tests of robustness."""
    rows = []
    for template in TEMPLATES.values():
        published_key = ("table 2", "coeff", template.label)
        name = f"primitive_{template.name}"
        rows.append(_row(source, template.label, named(name), published_key, KS))
        if source.keys(named(f"{name}_paper")):
            rows.append(
                _row(
                    source, f"{template.label}, 1 to 100", named(f"{name}_paper"), published_key, KS
                )
            )
    for group, name, label in (
        ("valid_N1", "over_k", "f/k"),
        ("valid_N1", "times_k", "k*f"),
        ("valid_N2", "plus_exp", "f+exp(x)"),
        ("valid_N2", "plus_ln", "f+ln(x)"),
    ):
        rows.append(_row(source, label, named(name), ("table 2", group, label), KS, valid=True))
    return Section(
        "Robustness (Table 2)",
        tuple(_headings(source, _ks(source), "problem", KS)),
        tuple(rows),
        (*_remarks(source), "f are problems that the model solved with one of its answers."),
    )


def compositions(source: ModelAnswers) -> Section:
    """Make Table 8 of Welleck et al.: Fail@k on sums of solved problems."""
    rows = []
    for pool in ("exp", "coeff", "valid"):
        for terms in (1, 2, 3, 4):
            name, published_key = f"{pool}_sum{terms}", ("table 8", pool, str(terms))
            if terms == 1 and not source.keys(named(name)):
                continue
            rows.append(
                _row(
                    source,
                    f"{pool}, {terms} terms" if terms > 1 else f"{pool}, again",
                    named(name),
                    published_key,
                    KS,
                    valid=pool == "valid",
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


def nodes(source: ModelAnswers) -> Section:
    """Make Table 9 of Welleck et al.: Fail@k by the number of operators in a problem."""
    rows = []
    for label, count in (("1-15", 15), ("20", 20), ("25", 25), ("30", 30), ("35", 35)):
        published_key, name = ("table 9", "nodes", label), f"operators_{count}"
        rows.append(_row(source, f"{label} operators", named(name), published_key, (1, 10)))
        up_to = named(f"operators_up_to_{count}")
        if source.keys(up_to):
            rows.append(_row(source, f"up to {label} operators", up_to, published_key, (1, 10)))
    return Section(
        "More operator nodes (Table 9)",
        tuple(_headings(source, _ks(source), "problems of", (1, 10))),
        tuple(rows),
        tuple(_remarks(source)),
    )


def integers(source: ModelAnswers) -> Section:
    """Make Figure 2 of Welleck et al.: Fail@1 by the size of the coefficients."""
    names = [f"{low}-{high - 1}" for low, high in RANGES]
    series: dict[str, list[Estimate | None]] = {}
    for template in INTEGERS:
        series[template.name] = [
            source.fails(source.keys(_of_range(low, template.label)), 1, source.tallies)
            for low, _ in RANGES
        ]
    shares = {
        name: [None if estimate is None else estimate.value for estimate in estimates]
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
        (category_chart("integers", "Fail@1 by range of the coefficients", names, shares),)
        if run
        else (),
    )


def _of_range(low: int, label: str) -> Where:
    subset = f"brittleness/integers_{low}"
    return lambda problem: problem.name == subset and problem.metadata["template"] == label
