"""`ls --overlap`: the problems of a set that are the benchmarks'."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ...benchmarks.fingerprint import Overlap


def print_overlap(benchmarks: Sequence[str], against: str, as_json: bool) -> int:
    """Print the problems of a set that are the benchmarks'; 1 if there are any."""
    from ...benchmarks import load
    from ...benchmarks.fingerprint import overlap
    from ...benchmarks.registry import names
    from ..run.plan import problems_of

    ours = problems_of(benchmarks or [f"{name}/all" for name in names()], None, 0)
    found = overlap(ours, load(against))
    if as_json:
        click.echo(json.dumps(_overlap_row(found), indent=2, ensure_ascii=False))
    else:
        for match in found.matches:
            doubt = "" if match.confirmed else "  (by fingerprint; the verifier cannot tell)"
            click.echo(f"{match.first}  =  {match.second}{doubt}")
        for name, why in found.unreadable:
            click.echo(f"not compared: {name}: {why}", err=True)
        click.echo(
            f"{len(found.matches)} of {found.compared} problems are the same as one of "
            f"{len(ours)}, up to a constant factor and names"
        )
    return 1 if found.matches else 0


def _overlap_row(found: Overlap) -> dict[str, Any]:
    return {
        "compared": found.compared,
        "matches": [
            {"ours": match.first, "theirs": match.second, "confirmed": match.confirmed}
            for match in found.matches
        ],
        "unreadable": dict(found.unreadable),
    }
