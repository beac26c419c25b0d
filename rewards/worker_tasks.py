"""What workers do, and how verdicts travel: as plain JSON data."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any

from .verdict import Evidence, Status, Verdict, Witness

# Field by field and not by `Verdict.to_dict`, which costs as much as some verdicts.
_EVIDENCE = tuple(field.name for field in fields(Evidence))
_evidence_values = attrgetter(*_EVIDENCE)
_WITNESS = _EVIDENCE.index("witness")
_TUPLES = (_EVIDENCE.index("flags"), _EVIDENCE.index("rules"))


def pack(verdict: Verdict) -> list[Any]:
    """A verdict as a list for JSON."""
    values = list(_evidence_values(verdict.evidence))
    witness = verdict.evidence.witness
    values[_WITNESS] = witness and [witness.point, witness.expected, witness.got]
    return [verdict.status, verdict.reward, verdict.answer, *values]


def unpack(packed: list[Any]) -> Verdict:
    """The verdict that `pack` packed."""
    status, reward, answer, *values = packed
    if values[_WITNESS] is not None:
        values[_WITNESS] = Witness(*values[_WITNESS])
    for at in _TUPLES:
        values[at] = tuple(values[at])
    return Verdict(Status(status), reward, answer, Evidence(*values))


# The tasks of `rewards.workers.pool.TASKS`.


def verify(completion: str, integrand: str, options: dict[str, Any]) -> list[Any]:
    from .antiderivative import verify_antiderivative

    return pack(verify_antiderivative(completion, integrand, **options))


def value(completion: str, target: str, options: dict[str, Any]) -> list[Any]:
    from .values import verify_value

    return pack(verify_value(completion, target, **options))


def equivalent(completion: str, target: str, options: dict[str, Any]) -> list[Any]:
    from .values import verify_equivalent

    return pack(verify_equivalent(completion, target, **options))


def label(completion: str, target: Any, options: dict[str, Any]) -> list[Any]:
    from .antiderivative import ProblemError
    from .labels import read_label, verify_label

    if read_label(f"\\boxed{{{target}}}", strict=True)[0] is None:
        raise ProblemError(f"{target!r} is no label")
    return pack(verify_label(completion, target, **options))


def integer(completion: str, target: Any, options: dict[str, Any]) -> list[Any]:
    from .antiderivative import ProblemError
    from .arithmetic import verify_integer

    try:
        number = int(target)
    except (TypeError, ValueError):
        raise ProblemError(f"{str(target)[:80]!r} is no whole number") from None
    return pack(verify_integer(completion, number, **options))


def published(answer: str, integrand: str, variable: str) -> list[Any]:
    from .baselines.antiderivbench import evaluate

    finding = evaluate(answer, integrand, variable)
    return [finding.status, finding.step, finding.detail, finding.flags, finding.points]
