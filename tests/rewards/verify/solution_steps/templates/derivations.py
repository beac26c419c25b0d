"""Derivations: lines of a solution with wrong lines beside, and fractions in LaTeX."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Line:
    """An equation, or, with an empty ``left``, a further link of the previous chain."""

    left: str
    right: str
    kind: str
    wrong: tuple[str, ...] = ()
    prose: str = ""
    definition: bool = False


@dataclass(frozen=True)
class Derivation:
    """A solution of an integral: lines before the chain, the links, and lines after the chain."""

    name: str
    integrand: str
    before: tuple[Line, ...]
    chain: tuple[Line, ...]  # the first has the integral as its left side
    after: tuple[Line, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        return (*self.before, *self.chain, *self.after)

    @property
    def answer(self) -> str:
        return self.chain[-1].right


def q(top: int, bottom: int = 1) -> str:
    """A rational number in LaTeX."""
    value = Fraction(top, bottom)
    sign = "-" if value < 0 else ""
    if value.denominator == 1:
        return str(value)
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def c(top: int, bottom: int = 1) -> str:
    """A rational number as a factor: nothing for 1."""
    return {"1": "", "-1": "-"}.get(q(top, bottom), q(top, bottom))


def link(right: str, claim_kind: str, *wrong: str, prose: str = "") -> Line:
    """A further link of the chain."""
    return Line("", right, claim_kind, wrong, prose)


def define(name: str, value: str, prose: str = "Let") -> Line:
    return Line(name, value, "definition", prose=prose, definition=True)
