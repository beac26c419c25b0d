"""`run.py verify`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from .options import json_option, key_values, policy_options

if TYPE_CHECKING:
    from ...rewards.verdict import Verdict


@click.command()
@click.option("--integrand", required=True, metavar="LATEX", help="What was to be integrated.")
@click.option(
    "--answer",
    required=True,
    metavar="TEXT",
    help="The answer: LaTeX, or a whole completion; - reads stdin.",
)
@click.option("--variable", default="x", show_default=True)
@click.option(
    "--assume",
    multiple=True,
    metavar="SYMBOL=KIND",
    help="Kind of a parameter (positive unless said otherwise); repeatable.",
)
@policy_options
@json_option
def verify(
    integrand: str,
    answer: str,
    variable: str,
    assume: tuple[str, ...],
    as_json: bool,
    **strictness: Any,
) -> None:
    """Judge one answer. Exit status: 0 correct, 1 not correct, 3 undecided."""
    from ... import rewards

    verdict = rewards.verify_antiderivative(
        sys.stdin.read() if answer == "-" else answer,
        integrand,
        variable=variable,
        assumptions=key_values(assume, "--assume"),
        **strictness,
    )
    if as_json:
        click.echo(json.dumps(verdict.to_dict(), indent=2, ensure_ascii=False))
    else:
        _print_verdict(verdict)
    if verdict.correct:
        return
    undecided = (rewards.Status.UNDECIDED, rewards.Status.TIMEOUT, rewards.Status.ERROR)
    sys.exit(3 if verdict.status in undecided else 1)


def _print_verdict(verdict: Verdict) -> None:
    evidence = verdict.evidence
    lines = [("answer", verdict.answer), ("found by", evidence.extracted_by)]
    lines += [("read as", evidence.reading), ("because", evidence.detail)]
    if evidence.witness:
        lines += [
            ("at", evidence.witness.point),
            ("integrand", evidence.witness.expected),
            ("derivative", evidence.witness.got),
        ]
    elif evidence.points:
        lines.append(("agrees", f"at {evidence.points} points to {evidence.digits:.0f} digits"))
    if evidence.coverage is not None:
        lines.append(("coverage", f"{100 * evidence.coverage:.1f} % of the real domain"))
    lines.append(("notes", ", ".join(evidence.flags)))
    lines.append(("method", f"{evidence.method}, {1000 * evidence.seconds:.1f} ms"))
    colours = {"correct": "green", "incorrect": "red"}
    click.secho(
        verdict.status.replace("_", " "), fg=colours.get(verdict.status, "yellow"), bold=True
    )
    for name, value in lines:
        if value:
            click.echo(f"  {name:<11}{value}")
