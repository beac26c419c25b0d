"""A self-contained HTML page: numbers, figures, and every problem with the samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...store.atomic import write_output
from ...store.run import Run
from ..assets import page_script, page_style, script_hash, template
from ..figures.colours import STATUSES
from ..sections import Section
from ..sources import Sources
from .packing import pack
from .problems import FAILURES, page_problems
from .samples import page_samples
from .sections import sections


def write_page(sources: Sources | Run, path: Path | None = None, policy: str | None = None) -> Path:
    """Write the page of a run, or of several runs.

    Args:
        sources: a run, or several runs with their verdicts.
        path: the file; by default ``report.html`` in the run's directory.
        policy: the name of the verdicts; by default the latest complete verdicts.

    Returns:
        The file.

    Raises:
        RunError: the run has no verdicts with the name ``policy``, or the run is damaged.

    >>> from calculus_harness import sweep
    >>> write_page(sweep(["solver/sympy"], ["drills"], limit=1, out="run")).name
    'report.html'

    """
    if not isinstance(sources, Sources):
        sources = Sources.open([sources], policy)
    path = path or sources.runs[0].path / "report.html"
    write_output(path, render_page(sources).encode("utf-8", "replace"))
    return path


def render_page(sources: Sources, version: str = "", list_of_runs: str = "") -> str:
    """The page of one run, or of several runs.

    Args:
        sources: the runs.
        version: the version of the page, for a browser's check for a newer page.
        list_of_runs: the address of the server's list of runs; empty without a list.

    Returns:
        The page.

    """
    summary = sources.summary
    problems = page_problems(sources)
    samples = page_samples(sources, problems)
    seen = {status for row in summary.rows for status in STATUSES if row.rates[status]}
    script = page_script()
    return template("page.html.jinja").render(
        title=sources.title,
        version=version,
        summary=summary,
        manifests=[(run.path.name, run.manifest) for run in sources.runs],
        sections=sections(sources, opened=True),
        details=_nested(sections(sources, opened=False)),
        list_of_runs=list_of_runs,
        failures=[FAILURES[at] for at in sorted(set(samples.index["failure"])) if at],
        findings=sources.findings,
        short=sources.short_names,
        statuses=[status for status in STATUSES if status in seen],
        problems=problems.index,
        pairs=max(problems.index["parent"], default=-1) >= 0,
        shown=len(samples.index["status"]),
        left_out=samples.left_out,
        index=pack(problems.index),
        samples=pack(samples.index),
        data={
            "problems": problems.chunks,
            "answers": samples.formulas,
            "details": samples.details,
        },
        style=page_style(),
        script=script,
        script_hash=script_hash(script),
    )


def _nested(built: Sequence[Section]) -> list[tuple[Section, list[Section]]]:
    """Each section, with the folded tables behind the section."""
    nested: list[tuple[Section, list[Section]]] = []
    for section in built:
        if section.folded and nested:
            nested[-1][1].append(section)
        else:
            nested.append((section, []))
    return nested
