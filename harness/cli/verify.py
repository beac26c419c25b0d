"""`run.py verify` and `run.py check`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import rewards
from ...rewards.arguments import keyword_options
from ...rewards.numeric.sampling.integrand import prepare
from ...rewards.questions import QUESTIONS
from ...rewards.reading.expression.traversal import symbols_of
from ...rewards.verdict import PROOFS
from ...rewards.verify.baselines.calls import deadline_for
from ...rewards.verify.certificates.check import CertificateError
from ...rewards.verify.certificates.check import check as check_certificate
from ..core.errors import UserError
from ..core.policy import Policy
from ..store.atomic import write_output
from ..studies.certificates import check_run
from ..tasks.prefix_answers import as_latex
from .options import json_option, key_values, policy_option, policy_options

if TYPE_CHECKING:
    from ...rewards.verdict import Verdict
    from ..studies.certificates import CheckedRun


@click.command()
@click.option("--integrand", metavar="LATEX", help="What was to be integrated.")
@click.option("--question", metavar="TEXT", help="Another question than an integrand; with --kind.")
@click.option(
    "--kind",
    type=click.Choice(
        [name for name, each in QUESTIONS.items() if each.summary and name != "steps"]
    ),
    default="antiderivative",
    help="What the question asks for (antiderivative by default).",
)
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
    integrand: str | None,
    question: str | None,
    kind: str,
    answer: str,
    variable: str | None,
    assume: tuple[str, ...],
    certificate: Path | None,
    as_json: bool,
    **strictness: Any,
) -> None:
    """Judge an answer. Exit status: 0 correct, 1 not correct, 3 undecided."""
    text = sys.stdin.read() if answer == "-" else answer
    assumptions = key_values(assume, "--assume")
    if question is not None and integrand is None and kind != "antiderivative":
        if certificate or variable:
            raise UserError("--certificate and --variable are for an --integrand")
        _finish(_judged(kind, question, text, assumptions, Policy(**strictness)), as_json)
        return
    if integrand is None or question is not None or kind != "antiderivative":
        raise UserError("give an --integrand, or a --question with its --kind")
    symbols = symbols_of(prepare(integrand, variable, assumptions).expression)
    for name in assumptions:
        if name not in symbols:
            names = ", ".join(sorted(symbols)) or "none"
            raise UserError(f"--assume {name}: the integrand has no such symbol; it has {names}")
    problem: dict[str, Any] = {"variable": variable, "assumptions": assumptions}
    policy = Policy(**strictness)
    reading = as_latex(text) if policy.answer_format == "prefix" else text
    text = reading if isinstance(reading, str) else ""
    verdict = rewards.verify_antiderivative(text, integrand, **problem, **policy.options)
    if not isinstance(reading, str):
        verdict = reading
    if certificate:
        if strictness.pop("method") != "balls":
            raise UserError("--certificate is for our own verifier only, not for another --method")
        del strictness["answer_format"], strictness["accept"]  # a certificate holds a proof
        strictness["deadline"] = deadline_for(policy.method, policy.deadline)
        certified = rewards.certify(text, integrand, **problem, **strictness)
        write_output(certificate, json.dumps(certified, ensure_ascii=False).encode())
    _finish(verdict, as_json)


def _judged(
    task: str, question: str, text: str, assumptions: Mapping[str, str], policy: Policy
) -> Verdict:
    """The verdict on an answer to another question than an integrand."""
    verify = QUESTIONS[task].verify
    accepted = keyword_options(verify)
    refused = [
        name
        for name, value in policy.options.items()
        if name not in accepted and value != Policy().options.get(name)
    ]
    if refused:
        raise UserError(f"{', '.join(refused)}: no option of the kind {task}")
    options = {name: value for name, value in policy.options.items() if name in accepted}
    if options.get("deadline", 0) is None:
        del options["deadline"]
    return verify(text, question, assumptions=assumptions, **options)


def _finish(verdict: Verdict, as_json: bool) -> None:
    """Print a verdict, and exit with the verdict's status."""
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
        lines += evidence.witness.described().items()
    elif evidence.proof in PROOFS:
        lines.append(("proof", f"{evidence.proof} (rules: {', '.join(evidence.rules) or 'none'})"))
    elif evidence.digits:
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
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@policy_option
def check(path: Path, policy: str | None) -> None:
    """Check a certificate, or a run's certificates.

    A file is the output of `verify --certificate`. The check runs without the verifier.

    Exit status: 0 valid, 1 not valid, or there is none. `score --certificates` stores a run's
    certificates.
    """
    if path.is_dir():
        checked = check_run(path, policy)
        _print_checked(checked)
        sys.exit(1 if checked.failures or not checked.valid else 0)
    if policy:
        raise UserError("--policy is for runs, not for a file")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise CertificateError("malformed: no JSON object")
        stated = check_certificate(data)
    except (CertificateError, ValueError) as error:
        click.secho(f"not valid: {error}", fg="red", bold=True)
        sys.exit(1)
    click.secho("valid", fg="green", bold=True)
    for name, value in _checked(data, stated):
        click.echo(f"  {name:<11}{value}")


def _checked(data: dict[str, Any], stated: list[str]) -> Iterator[tuple[str, str]]:
    """The statement of a valid certificate, and the parts that the checker did not look at."""
    yield "integrand", data["integrand_text"]
    yield "answer", data["answer_text"]
    if data["kind"] == "witness":
        yield "differ at", ", ".join(f"{name} = {value}" for name, value in data["point"].items())
        if stated:
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
    if stated:
        yield "as stated", f"the derivatives of {', '.join(stated)}"
    yield "as stated", "the terms are those of the texts; no case is missing"


def _print_checked(run: CheckedRun) -> None:
    """Shares of proofs and witnesses among a run's verdicts, and the valid certificates."""
    click.echo(f"verdicts {run.policy}")
    for status, bases in _BASES.items():
        total = sum(n for (of_status, _), n in run.verdicts.items() if of_status == status)
        shares = [
            f"{run.verdicts[status, basis]} {word} ({run.verdicts[status, basis] / total:.1%})"
            for basis, word in bases.items()
            if total
        ]
        click.echo(f"  {status:<11}{', '.join([str(total), *shares])}")
    certificates = f"{run.valid} valid, {len(run.failures)} not valid"
    colour = "red" if run.failures else "green"
    click.secho(f"certificates: {certificates}", fg=colour, bold=True)
    for key, why in run.failures:
        click.echo(f"  not valid  {key}: {why}")
    for name, count in run.taken.most_common():
        click.echo(f"  as stated  {name} in {count}")
    for why, count in run.reasons.most_common():
        click.echo(f"  none       {count}: {why}")
    if run.missing:
        click.echo(f"  missing    {run.missing}; `score --certificates` makes them")


#: Statuses with what they may rest on, and how that is called.
_BASES = {
    rewards.Status.CORRECT: {"identity": "proved", "agreement": "agreed"},
    rewards.Status.INCORRECT: {"witness": "witnessed"},
}
