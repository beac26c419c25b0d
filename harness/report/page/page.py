"""One self-contained HTML page: numbers, figures, every problem with its samples."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from ...stats.summary import Row
from ...store.atomic import write_atomically
from ...store.run import Run
from ..assets import asset, page_style, template
from ..figures.colours import STATUSES
from ..sources import Sources
from .samples import pack, page_samples
from .sections import sections


def write_page(sources: Sources | Run, path: Path | None = None, policy: str | None = None) -> Path:
    """Write the page of a run, by default as ``report.html`` in its directory, or of several."""
    if not isinstance(sources, Sources):
        sources = Sources.open([sources], policy)
    summary = sources.summary
    samples = page_samples(sources)
    shown = set(samples.index["status"])
    script = asset("page.js")
    html = template("page.html.jinja").render(
        title=sources.title,
        summary=summary,
        manifests=[(run.path.name, run.manifest) for run in sources.runs],
        sections=sections(sources),
        headline=[(row.label, row.passes[0]) for row in _headline(summary.rows)],
        statuses=[status for status in STATUSES if status in shown],
        labels=samples.names["label"],
        subsets=samples.names["subset"],
        left_out=samples.left_out,
        index=pack({"index": samples.index, "names": samples.names}),
        formulas=samples.formulas,
        details=samples.details,
        style=page_style(),
        script=script,
        script_hash=_hash(script),
    )
    path = path or sources.runs[0].path / "report.html"
    write_atomically(path, html.encode("utf-8", "replace"))
    return path


def _hash(script: str) -> str:
    """The hash by which the page's content security policy allows its script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _headline(rows: Sequence[Row]) -> list[Row]:
    """The broadest row of each model."""
    return list({row.label: row for row in rows if row.passes}.values())
