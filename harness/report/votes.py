"""Majority votes, and the number of different answers."""

from __future__ import annotations

from rich.console import Console

from ..stats.answer_groups import votes
from ..store.run import Run
from ..store.verdict_sets import ambiguous_name
from .numbers import estimated
from .sections import Section, print_sections


def print_votes(run: Run, policy: str | None = None, console: Console | None = None) -> None:
    """Print maj@k, the number of different answers, and the number of different forms of correct
    answers.
    """
    counted = votes(run, policy)
    ks = sorted({estimate.k for row in counted for estimate in row.majority})
    rows = []
    for row in counted:
        by_k = {estimate.k: estimated(estimate) for estimate in row.majority}
        forms = "" if row.forms is None else f"{row.forms:.1f}"
        names = (row.label, row.subset, str(row.problems))
        rows.append((*names, *(by_k.get(k, "") for k in ks), f"{row.groups:.1f}", forms))
    majorities = (f"maj@{k}" for k in ks)
    verdicts = ambiguous_name([run], policy or run.policy)
    section = Section(
        title=f"Majority votes, verdicts {verdicts}" if verdicts else "",
        headings=("model", "subset", "problems", *majorities, "answers", "correct forms"),
        rows=tuple(rows),
        remarks=(
            "Answers with the same derivative vote together. “answers” are the different ones of a "
            "problem, “correct forms” the different ways in which a solved one was written.",
        ),
        names=2,
    )
    print_sections([section], console)
