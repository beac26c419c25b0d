"""`run.py verify` and `run.py check`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import rewards
from ...rewards.certificates.check import CertificateError
from ...rewards.certificates.check import check as check_certificate
from ..core.errors import UserError
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
@click.option("--variable", help="By default the differential or the only symbol decides.")
@click.option(
    "--assume",
    multiple=True,
    metavar="SYMBOL=KIND",
    help="Kind of a parameter (positive unless said otherwise); repeatable.",
)
@click.option(
    "--certificate",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    metavar="FILE",
    help="Write why the verdict holds, for `check`; only proofs and refutations have this.",
)
@policy_options
@json_option
def verify(
    integrand: str,
    answer: str,
    variable: str | None,
    assume: tuple[str, ...],
    certificate: Path | None,
    as_json: bool,
    **strictness: Any,
) -> None:
    """Judge one answer. Exit status: 0 correct, 1 not correct, 3 undecided."""
    text = sys.stdin.read() if answer == "-" else answer
    asked: dict[str, Any] = {"variable": variable, "assumptions": key_values(assume, "--assume")}
    verdict = rewards.verify_antiderivative(text, integrand, **asked, **strictness)
    if certificate:
        if strictness.pop("method") != "balls":
            raise UserError("--certificate is for our own verifier only, not for another --method")
        made = rewards.certify(text, integrand, **asked, **strictness)
        try:
            certificate.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
        except OSError as error:
            raise UserError(f"--certificate {certificate}: {error.strerror}") from None
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
    elif evidence.proof == "identity":
        lines.append(("proof", f"identity (rules: {', '.join(evidence.rules) or 'none'})"))
    elif evidence.points:
        lines.append(
            ("proof", f"agreement at {evidence.points} points to {evidence.digits:.0f} digits")
        )
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


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
def check(file: Path) -> None:
    """Check a certificate of `verify`, by fractions alone. Exit status: 0 valid, 1 not valid."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise CertificateError("malformed: no JSON object")
        taken = check_certificate(data)
    except (CertificateError, ValueError) as error:
        click.secho(f"not valid: {error}", fg="red", bold=True)
        sys.exit(1)
    click.secho("valid", fg="green", bold=True)
    for name, value in _checked(data, taken):
        click.echo(f"  {name:<11}{value}")


def _checked(data: dict[str, Any], taken: list[str]) -> Iterator[tuple[str, str]]:
    """What a valid certificate shows, and what its checker did not look at."""
    yield "integrand", data["integrand_text"]
    yield "answer", data["answer_text"]
    if data["kind"] == "witness":
        yield "differ at", ", ".join(f"{name} = {value}" for name, value in data["point"].items())
        if taken:
            yield "checked", "the bounds of F' and f are apart"
            yield "as stated", "the bounds, of functions or at a precision that are not built in"
        else:
            yield "checked", "F' and f, by intervals of rational numbers"
        yield "as stated", "the expressions are those of the texts"
        return
    for case in data["cases"]:
        signs = [f"{tree} {'>' if sign > 0 else '<'} 0" for tree, sign in case["conditions"]]
        yield "case", " and ".join(signs) or "all real points"
    yield "checked", "F' = f in each case, and derivatives and relations of generators"
    if taken:
        yield "as stated", f"the derivatives of {', '.join(taken)}"
    yield "as stated", "the terms are those of the texts; no case is missing"
