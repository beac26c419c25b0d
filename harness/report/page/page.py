"""One self-contained HTML page: numbers, figures, every problem and what was said of it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...store import counts
from ...store.jsonl_log import write_atomically
from .. import published
from ..figures.paired import comparison_figures, panels, pass_curves
from ..figures.svg import ORDER, histogram, pass_bars, verdict_bars
from ..sources import Sources
from ..tables import Columns, cells, remarks
from .assets import asset, template
from .samples import items, pack

if TYPE_CHECKING:
    from ...store.run import Run

#: What the histograms count, by the name of the sums.
LENGTHS = {
    "tokens": "Tokens of a completion, as the server counted them.",
    "characters": "Characters of a completion, with its reasoning.",
}


def write_page(sources: Sources | Run, path: Path | None = None, policy: str | None = None) -> Path:
    """Write the page of a run, by default as ``report.html`` in its directory, or of several."""
    if not isinstance(sources, Sources):
        sources = Sources.open([sources], policy)
    summary = sources.summary
    columns = Columns.of(summary.rows)
    others = published.beside(summary)
    others_ks = published.all_ks(others)
    curves = panels(sources)
    found = items(sources)
    shown = set(found.index["status"])
    script = asset("page.js")
    html = template("page.html.jinja").render(
        title=sources.title,
        summary=summary,
        manifests=[(run.path.name, run.manifest) for run in sources.runs],
        headings=columns.headings,
        table=[(row.subset == "all", cells(row, columns)) for row in summary.rows],
        remarks=remarks(summary),
        published_headings=published.headings(others_ks),
        published=[published.cells(row, others_ks) for row in others],
        published_remark=published.REMARK,
        pass_figure=pass_bars(summary.rows) if summary.rows else "",
        curve_figure=pass_curves(curves) if curves else "",
        comparisons=comparison_figures(sources),
        verdict_figure=verdict_bars(summary.rows) if summary.rows else "",
        histograms=list(_histograms(sources)),
        headline=[(row.label, row.passes[0]) for row in _headline(summary.rows)],
        statuses=[status for status in ORDER if status in shown],
        labels=found.names["label"],
        subsets=found.names["subset"],
        left_out=found.left_out,
        index=pack({"index": found.index, "names": found.names}),
        formulas=found.formulas,
        details=found.details,
        style=asset("page.css"),
        script=script,
        script_hash=_hash(script),
    )
    path = path or sources.runs[0].path / "report.html"
    write_atomically(path, html.encode("utf-8", "replace"))
    return path


def _hash(script: str) -> str:
    """What the page's policy calls the only script that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _headline(rows: Sequence[Any]) -> list[Any]:
    """The broadest row of each model."""
    return list({row.label: row for row in rows if row.passes}.values())


def _histograms(sources: Sources) -> Any:
    sums = [
        (names[model], one)
        for run, names in zip(sources.runs, sources.names, strict=True)
        for (model, _), one in counts.totals(run.completions).items()
        if model in names
    ]
    labels = [name for names in sources.names for name in names.values()]
    for what, caption in LENGTHS.items():
        series = [
            (label, counts.histogram((one for name, one in sums if name == label), what))
            for label in labels
        ]
        if any(bins for _, bins in series):
            yield caption, histogram([(label, bins) for label, bins in series if bins], what)
