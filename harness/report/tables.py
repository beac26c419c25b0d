"""The table of results, for the terminal and as text in other formats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.errors import UserError
from ..stats.metrics import Estimate, Row, Summary

if TYPE_CHECKING:
    import pandas
    from rich.console import Console

    from ..store.run import Run

#: Rates shown beside every pass@k: heading and name in `Row.rates`.
RATES = {
    "no answer": "no_answer",
    "unparseable": "unparseable",
    "not closed": "not_closed_form",
    "undecided": "undecided",
    "timeout": "timeout",
    "cut off": "cut_off",
    "failed": "failed",
}
#: Those that are shown to people even where they are zero everywhere.
USUAL = ("no_answer", "unparseable", "undecided", "timeout")
FORMATS = ("markdown", "latex", "csv", "json")


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def spread(estimate: Estimate) -> str:
    """The interval, as in ``[55.8, 83.7]``."""
    low, high = estimate.interval
    return f"[{percent(low)}, {percent(high)}]"


def all_ks(rows: Iterable[Row]) -> list[int]:
    return sorted({estimate.k for row in rows for estimate in row.passes})


def shown_rates(rows: Sequence[Row]) -> dict[str, str]:
    """The rates that a person wants to see: the usual ones, and what is not zero everywhere."""
    return {
        heading: name
        for heading, name in RATES.items()
        if name in USUAL or any(row.rates[name] for row in rows)
    }


@dataclass(frozen=True)
class Columns:
    """What a table of these rows shows after model, subset, problems and samples
    per problem.

    Of ranked candidates that is pass@1 and every Fail@k; of labels also F1; the costs if prices
    were given.
    """

    passes: tuple[int, ...]
    fails: tuple[int, ...]
    labels: bool
    costs: bool
    rates: Mapping[str, str]

    @classmethod
    def of(cls, rows: Sequence[Row], rates: Mapping[str, str] | None = None) -> Columns:
        fails = sorted({estimate.k for row in rows for estimate in row.fails})
        alike = [row for row in rows if not row.fails]
        return cls(
            passes=tuple(sorted({*all_ks(alike), *([1] if fails else [])})),
            fails=tuple(fails),
            labels=any(row.labels for row in rows),
            costs=any(row.cost for row in rows),
            rates=shown_rates(rows) if rates is None else rates,
        )

    @property
    def headings(self) -> list[str]:
        return [
            "model",
            "subset",
            "problems",
            "samples per problem",
            *(f"pass@{k}" for k in self.passes),
            *(f"Fail@{k}" for k in self.fails),
            *(["F1", "macro F1"] if self.labels else []),
            *self.rates,
            *(["$ a problem", "$ a solved one"] if self.costs else []),
        ]


def cells(row: Row, columns: Columns) -> list[str]:
    """A row as text, in the order of `Columns.headings`."""
    by_k = {estimate.k: estimate for estimate in row.passes}
    fails = {estimate.k: estimate for estimate in row.fails}
    labels = [percent(row.labels.f1), percent(row.labels.macro_f1)] if row.labels else ["", ""]
    cost = [dollars(row.cost.per_problem), dollars(row.cost.per_solved)] if row.cost else ["", ""]
    problems = str(row.problems)
    if row.problems < row.planned:
        problems += f" of {row.planned}"
    each = row.samples_per_problem
    return [
        row.label,
        row.subset,
        problems,
        f"{each:.0f}" if each == int(each) else f"{each:.1f}",
        *(_estimated(by_k.get(k)) for k in columns.passes),
        *(_estimated(fails.get(k)) for k in columns.fails),
        *(labels if columns.labels else []),
        *(percent(row.rates[name]) for name in columns.rates.values()),
        *(cost if columns.costs else []),
    ]


def _estimated(found: Estimate | None) -> str:
    return f"{percent(found.value)} {spread(found)}" if found else ""


def dollars(value: float | None) -> str:
    """Three significant digits, and cents at least: ``12.30``, ``0.00123``."""
    if value is None:
        return ""
    return f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.3g}"


def remarks(summary: Summary) -> list[str]:
    """What a reader of the table has to know."""
    lines = ["In percent; pass@k with its 95 % interval."] if summary.rows else []
    bounds = [
        f"{row.label} on {row.subset}: pass@{e.k} between {percent(e.low)} and {percent(e.high)}"
        for row in summary.rows
        for e in row.passes[:1]
        if e.high > e.low
    ]
    if bounds:
        lines.append(
            "Undecided and failed answers count as not correct; " + "; ".join(bounds) + "."
        )
    lines += [*_confusions(summary), *_spent(summary), *summary.notes]
    if summary.missing:
        lines.append(f"Not finished: {summary.missing} answers are still to be asked.")
    if summary.unscored:
        under = f" under {summary.policy}" if summary.policy else ""
        lines.append(
            f"{summary.unscored} answers are not scored yet{under}: "
            f"`run.py score {summary.run}`, with the same flags, goes on"
        )
    return lines


def _confusions(summary: Summary) -> list[str]:
    """How often each label was taken for which, of each model's broadest row."""
    lines = []
    for row in {(row.model, row.label): row for row in summary.rows if row.labels}.values():
        assert row.labels is not None
        parts = []
        for truth, given in row.labels.confusion.items():
            found = [
                f"{count} as {'no label' if label == 'none' else label}"
                for label, count in given.items()
                if count
            ]
            parts.append(f"of label {truth} {', '.join(found) or 'none'}")
        accuracy = percent(row.labels.accuracy)
        lines.append(f"{row.label}: accuracy {accuracy}; answered {'; '.join(parts)}.")
    return lines


def _spent(summary: Summary) -> list[str]:
    """Tokens by problem and by solved problem, of each model's broadest row."""
    lines = []
    for row in {(row.model, row.label): row for row in summary.rows}.values():
        used = row.usage
        if used is not None and used.tokens_per_problem is not None:
            solved = used.tokens_per_solved
            text = f"{row.label}: {used.tokens_per_problem:,.0f} tokens a problem"
            lines.append(f"{text}, {solved:,.0f} a solved one." if solved else f"{text}.")
    return lines


def print_summary(summary: Summary, console: Console | None = None) -> None:
    """Print a table for each model, as wide as it needs to be."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = console or Console()
    for label, rows in _by_model(summary).items():
        columns = Columns.of(rows)
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for heading in ("subset", "problems", *columns.headings[4:]):
            table.add_column(heading, justify="right" if heading != "subset" else "left")
        for row in rows:
            _, subset, problems, _, *numbers = cells(row, columns)
            style = "bold" if row.subset == "all" else None
            table.add_row(subset, problems, *numbers, style=style)
        wide = console.options.update(max_width=10_000)
        console.width = max(console.width, console.measure(table, options=wide).maximum)
        each = {f"{row.samples_per_problem:g}" for row in rows}
        count = each.pop() if len(each) == 1 else "several"
        console.print(
            f"{label}, {count} sample{'s' * (count != '1')} of each problem",
            style="bold",
            markup=False,
            highlight=False,
        )
        console.print(table)
    for line in remarks(summary):
        console.print(line, style="dim", soft_wrap=True, markup=False, highlight=False)


def print_votes(run: Run, policy: str | None = None, console: Console | None = None) -> None:
    """Print majority votes, and how many different answers there are."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from ..stats.answer_groups import votes

    console = console or Console()
    found = votes(run, policy)
    ks = sorted({estimate.k for row in found for estimate in row.majority})
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    names = [*(f"maj@{k}" for k in ks), "answers", "correct forms"]
    for name in ("model", "subset", "problems", *names):
        table.add_column(name, justify="left" if name in ("model", "subset") else "right")
    for row in found:
        by_k = {estimate.k: estimate for estimate in row.majority}
        shown = (f"{percent(by_k[k].value)} {spread(by_k[k])}" if k in by_k else "" for k in ks)
        forms = "" if row.forms is None else f"{row.forms:.1f}"
        table.add_row(row.label, row.subset, str(row.problems), *shown, f"{row.groups:.1f}", forms)
    wide = console.options.update(max_width=10_000)
    console.width = max(console.width, console.measure(table, options=wide).maximum)
    console.print(table)
    console.print(
        "A vote counts for every answer with the same derivative. “answers” are the different ones "
        "of a problem, “correct forms” the different ways in which a solved one was written.",
        style="dim",
        soft_wrap=True,
        highlight=False,
    )


def _by_model(summary: Summary) -> dict[str, list[Row]]:
    """Rows by the model's label; labels that two configurations share are told apart."""
    labels: dict[str, set[str]] = {}
    for row in summary.rows:
        labels.setdefault(row.label, set()).add(row.model)
    models: dict[str, list[Row]] = {}
    for row in summary.rows:
        alone = len(labels[row.label]) == 1
        models.setdefault(row.label if alone else f"{row.label} #{row.model[:6]}", []).append(row)
    return models


def export_summary(summary: Summary, form: str) -> str:
    """The table as Markdown, LaTeX (booktabs), CSV (one line per estimate) or JSON."""
    if form == "json":
        return json.dumps(summary.to_dict(), indent=2, ensure_ascii=False) + "\n"
    if form == "csv":
        return _csv(summary)
    columns = Columns.of(summary.rows, RATES)
    names = columns.headings
    lines = [cells(row, columns) for row in summary.rows]
    if form == "markdown":
        rule = ["---", "---", *["---:"] * (len(names) - 2)]
        table = [names, rule, *lines]
        return "".join(f"| {' | '.join(line)} |\n" for line in table)
    if form == "latex":
        body = "".join(f"  {' & '.join(map(tex, line))} \\\\\n" for line in lines)
        return (
            f"\\begin{{tabular}}{{ll{'r' * (len(names) - 2)}}}\n  \\toprule\n"
            f"  {' & '.join(map(tex, names))} \\\\\n  \\midrule\n{body}  \\bottomrule\n"
            "\\end{tabular}\n"
        )
    raise UserError(f"unknown format {form!r}; known: {', '.join(FORMATS)}")


def _csv(summary: Summary) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(
        [
            "model",
            "subset",
            "problems",
            "samples",
            "samples_per_problem",
            "k",
            "pass_at_k",
            "interval_low",
            "interval_high",
            "worst",
            "best",
            *RATES.values(),
            "all_at_k",
            "reward",
            "tokens_per_problem",
            "tokens_per_solved",
            "accuracy",
            "f1",
            "macro_f1",
            "fail_at_k",
            "dollars_per_problem",
            "dollars_per_solved",
        ]
    )
    for row in summary.rows:
        every = {e.k: f"{e.value:.6f}" for e in row.all_passes}
        fails = {e.k: f"{e.value:.6f}" for e in row.fails}
        found, cost = row.labels, row.cost
        labels = [found.accuracy, found.f1, found.macro_f1] if found else [None] * 3
        costs = [cost.per_problem, cost.per_solved] if cost else [None, None]
        used = row.usage
        tokens = (used.tokens_per_problem, used.tokens_per_solved) if used else (None, None)
        for e in row.passes:
            numbers = [e.value, *e.interval, e.low, e.high]
            rates = [row.rates[name] for name in RATES.values()]
            writer.writerow(
                [row.label, row.subset, row.problems, row.samples]
                + [f"{row.samples_per_problem:g}", e.k]
                + [f"{number:.6f}" for number in numbers + rates]
                + [every.get(e.k, "" if fails else f"{e.value:.6f}"), f"{row.reward:.6f}"]
                + ["" if number is None else f"{number:.1f}" for number in tokens]
                + ["" if number is None else f"{number:.6f}" for number in labels]
                + [fails.get(e.k, "")]
                + ["" if number is None else f"{number:.6g}" for number in costs]
            )
    return buffer.getvalue()


def tex(text: str) -> str:
    """Text with what LaTeX would take for commands escaped."""
    for character in "&%$#_{}":
        text = text.replace(character, "\\" + character)
    return text


def to_pandas(run: Run, policy: str | None = None) -> pandas.DataFrame:
    """One row per sample: model, problem, subset, completion and verdict."""
    try:
        import pandas
    except ImportError:
        raise UserError("pandas is needed: pip install 'calculus-harness[data]'") from None
    verdicts = {row["key"]: row for row in run.verdicts(policy).rows()}
    rows: list[dict[str, Any]] = []
    for completion in run.completions.rows():
        verdict = verdicts.get(completion["key"], {})
        problem = run.problem(completion["problem"])
        rows.append(
            completion
            | {"label": run.models[completion["model"]]["label"], "subset": problem.name}
            | {"integrand": problem.inputs.get("integrand")}
            | {name: verdict.get(name) for name in ("status", "reward", "answer", "evidence")}
        )
    return pandas.DataFrame(rows)
