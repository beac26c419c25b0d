"""One self-contained HTML page: numbers, figures, every problem with its samples."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from ...stats.tallies import Estimate
from ...store.atomic import write_output
from ...store.run import Run
from ..assets import page_script, page_style, template
from ..comparison import sentences
from ..figures.colours import STATUSES
from ..sources import Sources
from .packing import pack
from .problems import page_problems
from .samples import page_samples
from .sections import sections


def write_page(sources: Sources | Run, path: Path | None = None, policy: str | None = None) -> Path:
    """Write the page of a run, or of several.

    Args:
        sources: a run, or several with their verdicts.
        path: the file; by default ``report.html`` in the run's directory.
        policy: the name of the verdicts; by default the latest complete ones.

    Returns:
        The file.

    Raises:
        RunError: the run has no such verdicts, or is damaged.

    >>> from calculus_harness import sweep
    >>> write_page(sweep(["solver/sympy"], ["drills"], limit=1, out="run")).name
    'report.html'

    """
    if not isinstance(sources, Sources):
        sources = Sources.open([sources], policy)
    path = path or sources.runs[0].path / "report.html"
    write_output(path, render_page(sources).encode("utf-8", "replace"))
    return path


def render_page(sources: Sources, version: str = "") -> str:
    """The page of one run, or of several; with a version it is one that a server watches."""
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
        sections=sections(sources),
        headline=_headline(sources),
        sentences=_sentences(sources),
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
        script_hash=_hash(script),
    )


def _hash(script: str) -> str:
    """The hash by which the page's content security policy allows its script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _sentences(sources: Sources) -> list[str]:
    """What every comparison comes to; models first."""
    made = [sources.comparison(by) for by in ("model", "perturbation")]
    return [
        line
        for comparison in made
        if comparison
        for line in sentences(comparison, sources.short_names)
    ]


def _headline(sources: Sources) -> list[tuple[str, str, Estimate | None]]:
    """Each model's name, its short name, and pass@1 of its broadest row if it has verdicts."""
    rows = {row.label: row.passes[0] for row in sources.summary.rows if row.passes}
    return [(name, short, rows.get(name)) for name, short in sources.short_names.items()]
