"""`run.py score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from ..core.policy import Policy
from ..report import export_summary, print_summary
from ..report.changes import print_changes
from ..run.progress import for_stderr
from ..run.scoring import score as score_run
from ..stats.summary import summarise
from ..stats.verdict_changes import changes
from ..store.run import Run
from ..store.verdict_sets import latest_complete
from .options import json_option, policy_options


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@policy_options
@click.option(
    "--against",
    metavar="POLICY",
    help="Show what changed from these verdicts; by default from the latest complete others.",
)
@json_option
def score(run: Path, against: str | None, as_json: bool, **strictness: Any) -> None:
    """Judge a run's answers, without asking any model.

    Verdicts are stored separately for every version and policy of the verifier; only missing ones
    are made. Changes from the earlier ones are shown, with the reasons.
    """
    policy = Policy(**strictness)
    opened = Run(run)
    if against is not None:
        opened.verdicts(against)  # for its error message
    others = [name for name in opened.policies if name != policy.name]
    before = against or latest_complete([opened], others)
    with for_stderr() as progress:
        scored = score_run(run, policy=policy, progress=progress)
    changed = changes(scored, before, policy.name) if before else None
    summary = summarise(scored, policy.name)
    if as_json:
        result = json.loads(export_summary(summary, "json"))
        result["changes"] = changed.to_dict() if changed else None
        click.echo(json.dumps(result, indent=2, ensure_ascii=False))
        return
    print_summary(summary)
    if changed:
        print_changes(changed)
