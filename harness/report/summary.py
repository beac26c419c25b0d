"""The table of results: on the terminal, for papers, as data."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console

from ..core.program import program
from ..core.wording import counted
from ..stats.findings import Failure, Findings, sentences
from ..stats.metrics import Metric, metrics
from ..stats.paired.wording import short_names
from ..stats.repaired import Repaired
from ..stats.summary import Row, Summary, summarise
from ..stats.tallies import Estimate
from ..store.run import Run
from .numbers import dollars, estimated, p_value, percent, points, with_interval
from .sections import (
    Section,
    export,
    print_remarks,
    print_sections,
    print_small,
)

_NAMES = ("model", "subset", "problems", "samples per problem")
_CSV_NAMES = ("model", "subset", "problems", "samples", "samples_per_problem", "k")


@dataclass(frozen=True)
class Column:
    """A column of numbers: a metric; for a metric over k, at one k."""

    metric: Metric
    k: int = 0

    @property
    def heading(self) -> str:
        """The heading: ``pass@4``."""
        return self.metric.heading(self.k)

    def estimate(self, row: Row) -> Estimate | None:
        """The estimate of a row; None for a metric without an interval."""
        estimates = row.estimates.get(self.metric.name, ())
        return next((candidate for candidate in estimates if candidate.k == self.k), None)

    def cell(self, row: Row) -> str:
        """The value of a row as text, with the interval."""
        estimate = self.estimate(row)
        if estimate is not None:
            return estimated(estimate)
        value = row.numbers.get(self.metric.name)
        return "" if value is None else _FORMATS[self.metric.unit](value)


_FORMATS: dict[str, Callable[[float], str]] = {
    "percent": percent,
    "dollars": dollars,
    "tokens": lambda value: f"{value:,.0f}",
    "number": lambda value: f"{value:.3g}",
}
_CSV_FORMATS = {"percent": ".6f", "dollars": ".6g", "tokens": ".1f", "number": ".6f"}


def columns_of(rows: Sequence[Row], every: bool = False) -> list[Column]:
    """The columns of a table of the rows; with ``every``, columns of zeros are included.

    For ranked candidates only pass@1 is shown, because Fail@k contains the same information for
    every other k.
    """
    ranked = any(row.fails for row in rows)
    columns: list[Column] = []
    for metric in metrics():
        if metric.shown == "never":
            continue
        if metric.interval:
            # Ranked rows have pass@1 only, as Fail@k has the same information.
            own = [row for row in rows if metric.name != "pass@k" or not row.fails]
            ks = {estimate.k for row in own for estimate in row.estimates[metric.name]}
            if metric.name == "pass@k" and ranked:
                ks.add(1)
            columns += [Column(metric, k) for k in sorted(ks)]
        else:
            values = [row.numbers[metric.name] for row in rows if metric.name in row.numbers]
            if any(values) if metric.shown == "nonzero" and not every else values:
                columns.append(Column(metric))
    return columns


def results_section(rows: Sequence[Row], every: bool = False) -> Section:
    """The rows as a table, all columns included."""
    columns = columns_of(rows, every)
    several = any(row.verdicts for row in rows)
    return Section(
        title="",
        headings=("verdicts",) * several + (*_NAMES, *(column.heading for column in columns)),
        rows=tuple(
            (row.verdicts,) * several + (*_names(row), *(column.cell(row) for column in columns))
            for row in rows
        ),
        names=2 + several,
    )


def _names(row: Row) -> tuple[str, ...]:
    problems = str(row.problems)
    if row.problems < row.planned:
        problems += f" of {row.planned}"
    per_problem = row.samples_per_problem
    samples = f"{per_problem:.0f}" if per_problem == int(per_problem) else f"{per_problem:.1f}"
    if row.deterministic:
        samples += " (deterministic)"
    return row.label, row.subset, problems, samples


def overview_section(summary: Summary, findings: Findings) -> Section:
    """A small table: the subsets of a single model, or the standing of several models.

    Models are ordered by the score on the problems that all models were asked. If a model was also
    asked other problems, a further column has the score on all problems of each model. The last
    column has the rates of answers that say nothing about a model's mathematics.
    """
    title = f"verdicts {summary.policy}" if any(row.verdicts for row in summary.rows) else ""
    if len(findings.standings) < 2:
        columns = [column for column in columns_of(summary.rows) if column.metric.name in _SCORES]
        columns = columns[:1]
        return Section(
            title,
            ("", "problems", *(column.heading for column in columns), _NOT_JUDGED),
            tuple(
                (
                    *_names(row)[1:3],
                    *(column.cell(row) for column in columns),
                    # A row's rates overlap: a text that was cut off mostly holds no answer.
                    _rates({_named(name): row.rates.get(name, 0.0) for name in _ENDINGS}),
                )
                for row in summary.rows
            ),
        )
    fewer_common = any(
        standing.common_problems < standing.problems
        for standing in findings.standings
        if standing.scored
    )
    ks = {standing.common.k for standing in findings.standings if standing.common}
    heading = f"pass@{min(ks, default=1)} of {findings.common}"
    own = ("unranked: its own", "asked") if fewer_common else ("asked",)
    names = short_names(standing.model for standing in findings.standings)
    return Section(
        title,
        ("", heading, *own, _NOT_JUDGED),
        tuple(
            (
                names[standing.model],
                estimated(standing.common),
                *([estimated(standing.own)] * fewer_common),
                str(standing.problems),
                _rates({way: standing.failures.get(way, 0.0) for way in _ENDINGS.values()}),
            )
            for standing in findings.standings
        ),
    )


def repaired_section(rows: Sequence[Repaired]) -> Section:
    """repaired@t of every model, with a line for each arm (including the control) and each turn."""
    names = short_names(dict.fromkeys(row.label for row in rows))
    return Section(
        "Wrong answers that were tried again",
        ("", "told", "turns", "wrong", "repaired@t", "more than control", "p"),
        tuple(
            (
                names[row.label],
                row.feedback,
                str(row.turn),
                f"{row.asked} of {row.problems}",
                with_interval(row.value, row.interval),
                "" if row.gain is None else points(row.gain, row.gain_interval),
                p_value(row.p),
            )
            for row in rows
        ),
        (
            "repaired@t: percent of the answers that were wrong at first (wrong: answers of so "
            "many problems) that were right after up to t turns. The control was told nothing, "
            "after the same first answers.",
        ),
        names=2,
    )


def _named(rate: str) -> str:
    return "no answer" if rate == "no_answer" else _ENDINGS[rate]


def _rates(shares: Mapping[str, float]) -> str:
    """The non-zero rates in percent: ``cut 20.8, no box 3.5``."""
    way_shares = [
        f"{_SHORT.get(way, way)} {percent(share)}" for way, share in shares.items() if share
    ]
    return ", ".join(way_shares)


_SCORES = ("pass@k", "Fail@k")
_NOT_JUDGED = "answers lost, %"
#: The rates that are no wrong answers, by their name in `stats.metrics.rates`.
_ENDINGS = {
    "failed": Failure.ERROR,
    "filtered": Failure.FILTERED,
    "refused": Failure.REFUSED,
    "truncated": Failure.TRUNCATED,
    "no_answer": Failure.NO_ANSWER,
    "unparseable": Failure.UNREADABLE,
    "undecided": Failure.UNDECIDED,
}
_SHORT: Mapping[str, str] = {
    Failure.FILTERED: "filtered",
    Failure.TRUNCATED: "cut",
    Failure.UNREADABLE: "unreadable",
}


def unfinished(summary: Summary) -> list[str]:
    """The numbers of missing answers and verdicts."""
    lines = []
    if summary.missing:
        lines.append(f"Not finished: {counted(summary.missing, 'answer')} still to be asked.")
    if summary.unscored:
        under = f" under {summary.policy}" if summary.policy else ""
        lines.append(
            f"{counted(summary.unscored, 'answer')} not scored yet{under}: "
            f"`{program()} score {summary.run}`, with the same flags, goes on"
        )
    return lines


def remarks(summary: Summary) -> list[str]:
    """The remarks below the table: on bounds, confusions of labels, tokens, and missing answers."""
    lines = ["In percent; pass@k with its 95 % interval."] if summary.rows else []
    bounds = [
        f"{row.label} on {row.subset}: pass@{e.k} between {percent(e.low)} and {percent(e.high)}"
        for row in summary.rows
        for e in row.passes[:1]
        if e.high > e.low
    ]
    if bounds:
        lines.append(
            "Undecided and failed answers count as not correct"
            + (", missing ones not at all; " if summary.missing else "; ")
            + "; ".join(bounds)
            + "."
        )
    return [
        *lines,
        *_confusions(summary),
        *_spent(summary),
        *summary.notes,
        *unfinished(summary),
    ]


#: The shares of a model's answers from which on there is a warning about them: of those that say
#: nothing about its mathematics, one in twenty; of texts without an answer, which may be its fault,
#: every second.
_WARNED, _WARNED_EMPTY = 0.05, 0.5


def warnings_of(summary: Summary) -> list[str]:
    """Failures outside of a model's mathematics, each with a remedy."""
    lines: dict[str, list[tuple[str, float]]] = {}
    sampling = summary.settings.get("sampling", {})
    ends = (("failed", Failure.ERROR), ("filtered", Failure.FILTERED), ("refused", Failure.REFUSED))
    # A row for each model: the last row of a model is over all subsets.
    for row in {(row.model, row.label): row for row in summary.rows}.values():
        for name, way in ends:
            if (share := row.rates.get(name, 0.0)) >= _WARNED:
                warning = f"of the answers ended in: {way}; {way.advice}."
                lines.setdefault(warning, []).append((row.label, share))
        cut, none = row.rates.get("truncated", 0.0), row.rates.get("no_answer", 0.0)
        if cut >= _WARNED:
            at = f"at --max-tokens {sampling.get('max_tokens', '')}".rstrip()
            at += "; allow more, with another --out"
            if row.deterministic:
                at = "at the time limit; -M time-limit=SECONDS allows more"
            lines.setdefault(f"of the answers were cut off {at}.", []).append((row.label, cut))
        elif none >= _WARNED_EMPTY and not row.rates.get("refused"):
            view = f"`{program()} view {summary.run} PROBLEM`"
            warning = (
                f"of the texts hold no answer; look at one ({view}), and at the prompt (--prompt)."
            )
            lines.setdefault(warning, []).append((row.label, none))
    return [f"{_listed_shares(shares)} % {warning}" for warning, shares in lines.items()]


def _listed_shares(shares: Sequence[tuple[str, float]]) -> str:
    """A text such as ``a: 6``; for several models, ``a, b, c: 6 to 17``."""
    low, high = (100 * pick(share for _, share in shares) for pick in (min, max))
    numbers = f"{low:.0f}" if round(low) == round(high) else f"{low:.0f} to {high:.0f}"
    return f"{', '.join(label for label, _ in shares)}: {numbers}"


def _confusions(summary: Summary) -> list[str]:
    """Counts of each label answered instead of each other label, for each model on all problems."""
    lines = []
    for row in {(row.model, row.label): row for row in summary.rows if row.labels}.values():
        assert row.labels is not None
        confusions = []
        for truth, predictions in row.labels.confusion.items():
            counted = [
                f"{count} as {'no label' if label == 'none' else label}"
                for label, count in predictions.items()
                if count
            ]
            confusions.append(f"of label {truth} {', '.join(counted) or 'none'}")
        accuracy = percent(row.labels.accuracy)
        lines.append(f"{row.label}: accuracy {accuracy}; answered {'; '.join(confusions)}.")
    return lines


def _spent(summary: Summary) -> list[str]:
    """Tokens by problem and by solved problem, for each model on all problems."""
    lines = []
    for row in {(row.model, row.label): row for row in summary.rows}.values():
        used = row.usage
        if used.tokens_per_problem is not None:
            solved = used.tokens_per_solved
            text = f"{row.label}: {used.tokens_per_problem:,.0f} tokens a problem"
            lines.append(f"{text}, {solved:,.0f} a solved one." if solved else f"{text}.")
    return lines


def print_summary(
    results: Run | Summary | str | os.PathLike[str],
    console: Console | None = None,
    *,
    every: bool = False,
    findings: Findings | None = None,
) -> None:
    """Print the findings: three sentences, and a small table.

    Args:
        results: a run, its directory, or its summary (`stats.summary.summarise`).
        console: where to print; by default the terminal, or the notebook.
        every: whether to print also a table for each model with every subset and metric, and all
            remarks.
        findings: the sentences, if they exist already or are about several runs.

    Returns:
        Nothing.

    Raises:
        RunError: the run has no verdicts.

    Example:
        >>> from calculus_harness import sweep
        >>> print_summary(sweep(["solver/sympy"], ["drills"], limit=1, out="run"))
        sympy solves 100.0 [2.5, 100.0] % of 1 problem of drills/...
        ...

    """
    console = console or Console()
    summary = results if isinstance(results, Summary) else summarise(results)
    if findings is None and summary.rows:
        findings = sentences(summary.run, policy=summary.policy)
    if findings is not None:
        print_remarks(findings.lines, console, style="")
    print_remarks(warnings_of(summary), console, style="bold yellow")
    # By default the three sentences and a small table fit on a screen.
    if not every:
        if findings is not None:
            print_small(overview_section(summary, findings), console)
        if summary.repaired:
            print_sections([repaired_section(summary.repaired)], console)
        print_remarks(unfinished(summary), console)
        print_remarks([f"Everything else: {program()} report {summary.run} --all"], console)
        return
    for label, rows in _by_model(summary).items():
        columns = columns_of(rows)
        sample_counts = {f"{row.samples_per_problem:g}" for row in rows}
        count = sample_counts.pop() if len(sample_counts) == 1 else "several"
        sampling_note = f"{count} sample{'s' * (count != '1')} of each problem"
        if all(row.deterministic for row in rows):
            sampling_note = "deterministic: asked once for each problem"
        table = Section(
            title=f"{label}, {sampling_note}"
            + (f"; verdicts {rows[0].verdicts}" * bool(rows[0].verdicts)),
            headings=("subset", "problems", *(column.heading for column in columns)),
            rows=tuple(
                (*_names(row)[1:3], *(column.cell(row) for column in columns)) for row in rows
            ),
        )
        print_sections([table], console)
    if summary.repaired:
        print_sections([repaired_section(summary.repaired)], console)
    print_remarks(remarks(summary), console)


def _by_model(summary: Summary) -> dict[str, list[Row]]:
    """The rows by the model's label. If two configurations have the same label, the label is
    extended.
    """
    labels: dict[str, set[str]] = {}
    for row in summary.rows:
        labels.setdefault(row.label, set()).add(row.model)
    models: dict[str, list[Row]] = {}
    for row in summary.rows:
        alone = len(labels[row.label]) == 1
        models.setdefault(row.label if alone else f"{row.label} #{row.model[:6]}", []).append(row)
    return models


def export_summary(summary: Summary, form: str) -> str:
    """The table of results as text.

    Args:
        summary: the result of `summarise`.
        form: one of `FORMATS`: Markdown, LaTeX (booktabs), CSV (a line for each estimate), JSON.

    Returns:
        The text.

    Raises:
        UserError: the format is not one of `FORMATS`.

    >>> export_summary(Summary("run", "balls-3", rows=()), "csv")[:12]
    'model,subset'

    """
    sections = [results_section(summary.rows, every=True)]
    if summary.repaired:
        sections.append(repaired_section(summary.repaired))
    return export(form, sections, _lines(summary), summary.to_dict())


def _lines(summary: Summary) -> tuple[list[str], list[list[object]]]:
    """A line for each row and k: pass@k with interval and bounds, then every other metric."""
    score, *other_metrics = metrics()
    bounds = ("interval_low", "interval_high", "worst", "best")
    others_columns = (metric.column for metric in other_metrics)
    headings = [*_CSV_NAMES, score.column, *bounds, *others_columns, "verdicts"]
    lines: list[list[object]] = []
    for row in summary.rows:
        for e in row.passes or (None,):  # one line of what has no score, too
            samples = f"{row.samples_per_problem:g}"
            line: list[object] = [row.label, row.subset, row.problems, row.samples, samples]
            numbers = (e.value, *e.interval, e.low, e.high) if e else ()
            line += [e.k if e else "", *(f"{number:.6f}" for number in numbers)]
            line += [""] * (0 if e else 1 + len(bounds))
            for metric in other_metrics:
                estimate = Column(metric, e.k if e and metric.over_k else 0).estimate(row)
                value = estimate.value if estimate else row.numbers.get(metric.name)
                form = _CSV_FORMATS[metric.unit]
                line.append("" if value is None else format(value, form))
            lines.append([*line, summary.policy or ""])
    return headings, lines
