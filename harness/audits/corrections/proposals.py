"""Judges proposals for the right reference: the verifier has to accept a proposal.

A finding has the value of the problem and the value of the reference at one point. A proposal with
another value than the problem's is not judged.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import islice

from ....rewards import Verdict
from ....rewards.numeric.ball_arithmetic.balls import UnusableError
from ....rewards.reading.expression.build import number
from ....rewards.reading.expression.traversal import nodes_of, substitute, symbols_of
from ....rewards.reading.expression.tree import Expression, Number
from ....rewards.reading.latex import to_latex
from ...stats.findings.failures import Sampled, near
from ..findings import Finding
from .slips import Repair, by_factor, repairs, undone

#: The largest number of corrections that the verifier judges for a row: for integrals, whose
#: proposals fit at several points; for questions whose proposals fit at one point or at none, where
#: a verdict takes some milliseconds.
PROPOSALS, UNFILTERED = 3, 1200
#: A symbol and its value in the point of a finding.
_VALUE_AT = re.compile(r"(\w+) = (\S+?)(?:,|$)")


def repaired(
    proposals: Iterator[Repair],
    verdict: Callable[[str], Verdict],
    judged: int = PROPOSALS,
    written: Callable[[Expression], str] = to_latex,
) -> dict[str, str]:
    """The kind of the slip, and the corrected reference if the verifier proves a proposal.

    Args:
        proposals: the proposals, the likeliest first.
        verdict: judges a reference in LaTeX.
        judged: the largest number of proposals that are judged.
        written: writes the reference that a proposal is or is a part of.

    """
    name = ""
    for slip, proposal in islice(proposals, judged):
        name = name or slip
        if slip.startswith("a derivative"):
            break
        text = written(proposal)
        if verdict(text).correct:
            return {"kind": slip, "correction": text, "corrected_by": "undoing the slip"}
    return {"kind": name}


def as_solution(formulas: Mapping[str, Expression]) -> str:
    """The formulas of the functions of a differential equation, as an answer."""
    return r",\ ".join(f"{name} = {to_latex(tree)}" for name, tree in formulas.items())


def values_of(finding: Finding) -> tuple[float, float] | None:
    """The problem's value and the reference's value; None for non-numbers."""
    try:
        expected, got = float(finding.expected), float(finding.got)
    except ValueError:
        return None
    return (expected, got) if math.isfinite(expected) and math.isfinite(got) else None


def repairs_of_value(finding: Finding, reference: Expression) -> Iterator[Repair]:
    """Proposals from the problem's value, beside the reference's value."""
    if (values := values_of(finding)) is None:
        return
    expected, got = values
    # A constant factor is the most frequent slip, and is read off the ratio.
    if expected and got:
        yield from by_factor(complex(got / expected), reference)
    if not symbols_of(reference):
        yield from repairs(number(Fraction(str(expected))), reference, "", order=0)
        return
    # With symbols, a candidate must have the expected value at the program's point.
    point = {name: number(Fraction(value)) for name, value in _VALUE_AT.findall(finding.point)}

    def fits(candidate: Expression) -> bool:
        for name, value in point.items():
            candidate = substitute(candidate, name, value)
        with suppress(UnusableError):
            value_there = Sampled(candidate, "").values[0]
            return value_there is not None and near(value_there, expected)
        return False

    if symbols_of(reference) <= point.keys():
        yield from undone(reference, min(symbols_of(reference)), fits)


def rounded(reference: Expression, expected: float, got: float) -> bool:
    """Whether a reference has a decimal of at least three digits slightly beside the value."""
    decimals = [
        node
        for node in nodes_of(reference)
        if isinstance(node, Number) and 100 % node.denominator and not 10**30 % node.denominator
    ]
    return bool(decimals) and abs(expected - got) < 0.01 * abs(expected)
