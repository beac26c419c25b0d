"""One self-contained HTML page: numbers, figures, every problem and what was said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from harness.log import write_atomically
from harness.report import published
from harness.report.figures import ORDER, pass_bars, verdict_bars
from harness.report.mathml import to_mathml
from harness.report.paired import panels, pass_curves, sections
from harness.report.tables import all_ks, cells, headings, percent, remarks, shown_rates
from rewards.verdict import Verdict

if TYPE_CHECKING:
    from harness.store import Run

#: Of one model and problem, so many samples are shown; of a long completion, head and tail.
SAMPLES_SHOWN = 8
HEAD, TAIL = 1500, 2500


@dataclass(frozen=True)
class Item:
    """One sample as the page shows it."""

    problem: str
    subset: str
    label: str
    sample: int
    integrand: str
    reference: str
    status: str
    answer: str
    text: str
    reasoning: str
    note: str
    facts: tuple[tuple[str, str], ...]


def write_page(run: Run, path: Path | None = None, policy: str | None = None) -> Path:
    """Write the page, by default as ``report.html`` in the run directory."""
    summary = run.summary(policy)
    ks, rates = all_ks(summary.rows), shown_rates(summary.rows)
    others = published.beside(summary)
    others_ks = published.all_ks(others)
    curves = panels(run, policy)
    items = list(_items(run, policy))
    shown = {status for status in ORDER if any(item.status == status for item in items)}
    html = (
        _environment()
        .get_template("page.html.jinja")
        .render(
            summary=summary,
            manifest=run.manifest,
            name=run.path.name,
            headings=headings(ks, rates),
            table=[(row.subset == "all", cells(row, ks, rates)) for row in summary.rows],
            remarks=remarks(summary),
            published_headings=published.headings(others_ks),
            published=[published.cells(row, others_ks) for row in others],
            published_remark=published.REMARK,
            pass_figure=pass_bars(summary.rows) if summary.rows else "",
            curve_figure=pass_curves(curves) if curves else "",
            comparisons=sections(run, policy),
            verdict_figure=verdict_bars(summary.rows) if summary.rows else "",
            headline=[(row.label, row.passes[0]) for row in _headline(summary.rows)],
            statuses=[status for status in ORDER if status in shown],
            items=items,
            labels=sorted({item.label for item in items}),
            subsets=list(dict.fromkeys(item.subset for item in items)),
            samples_shown=SAMPLES_SHOWN,
            cut=any(row.samples > SAMPLES_SHOWN * row.problems for row in summary.rows),
        )
    )
    path = path or run.path / "report.html"
    write_atomically(path, html.encode())
    return path


def _headline(rows: Any) -> list[Any]:
    """The broadest row of each model."""
    return list({row.label: row for row in rows if row.passes}.values())


def _items(run: Run, policy: str | None) -> Iterator[Item]:
    completions = {
        row["key"]: row for row in run.completions.rows() if row["sample"] < SAMPLES_SHOWN
    }
    found = []
    order = {key: position for position, key in enumerate(run.problems)}
    for row in run.verdicts(policy).rows():
        if row["key"] in completions:
            found.append((order.get(row["problem"], 0), row["sample"], row["model"], row))
    for *_, row in sorted(found, key=lambda entry: entry[:3]):
        completion = completions[row["key"]]
        problem = run.problem(row["problem"])
        verdict = Verdict.from_dict(row)
        yield Item(
            problem=problem.id,
            subset=problem.name,
            label=run.models[row["model"]]["label"],
            sample=row["sample"],
            integrand=str(problem.inputs.get("integrand", "")),
            reference=str(problem.target.get("antiderivative", "")),
            status=verdict.status,
            answer=verdict.answer or "",
            text=_shortened(completion["text"]),
            reasoning=_shortened(completion.get("reasoning", "")),
            note=completion.get("detail", ""),
            facts=tuple(_facts(verdict, completion)),
        )


def _facts(verdict: Verdict, completion: dict[str, Any]) -> Iterator[tuple[str, str]]:
    evidence = verdict.evidence
    if evidence.detail:
        yield "because", evidence.detail
    if evidence.witness:
        witness = evidence.witness
        yield "at", witness.point
        yield "integrand", witness.expected
        yield "derivative of the answer", witness.got
    if evidence.points and not evidence.witness:
        yield "agreement", f"{evidence.points} points to {evidence.digits:.0f} digits"
    if evidence.coverage is not None:
        yield "coverage", f"{percent(evidence.coverage)} % of the real domain"
    if evidence.flags:
        yield "notes", ", ".join(evidence.flags)
    if evidence.extracted_by:
        yield "answer found by", evidence.extracted_by
    if evidence.reading:
        yield "read as", evidence.reading
    yield "method", f"{evidence.method}, {1000 * evidence.seconds:.1f} ms"
    seconds = completion.get("latency", 0)
    yield "model", f"finished by {completion['finish_reason']}, {seconds:.2f} s"


def _shortened(text: str) -> str:
    if len(text) <= HEAD + TAIL:
        return text
    left_out = len(text) - HEAD - TAIL
    return f"{text[:HEAD]}\n\n[... {left_out} characters ...]\n\n{text[-TAIL:]}"


def _math(latex: str) -> Markup | str:
    """MathML where the text can be shown so, else the text, which the template escapes."""
    mathml = to_mathml(latex)
    return Markup(mathml) if mathml is not None else latex


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"math": _math, "percent": percent}
    return environment
