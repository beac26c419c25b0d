"""Whether what two links of a chain say is equal, in some reading of both."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from ...expression.traversal import symbols_of
from ..result import Judgement, Kind
from ..scope import Equation, Scope, free_symbols, is_constant_name
from ..sides import Derivative, Differential, Integral, NotReadError, Side
from ..statements import Link
from .equality import Finding, Work, compare
from .kinds import kind_of
from .unknowns import solve

#: Pairs of readings of two sides that are compared.
PAIRS = 4

#: A letter that a formula holds for any value of.
_PARAMETER = re.compile(r"[abdk-s](?:_\w+)?|alpha|beta|lambda|mu|omega")
_DECIMAL = re.compile(r"\d\.\d")
FAULTS = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
UNKNOWN = "unknown constants"


@dataclass(frozen=True, slots=True)
class Read:
    """A link with its readings."""

    link: Link
    sides: Sequence[Side]


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found of a claim, the definitions it uses, and the readings that it is about."""

    finding: Finding
    kind: Kind
    used: frozenset[str]
    pair: tuple[Side, Side] | None = None
    anti: bool = False  # it is of antiderivatives


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges equations under the definitions in force; `scope` gets the constants that it finds."""

    scope: Scope
    assumptions: Mapping[str, str]
    work: Work

    def judge(self, left: Read, right: Read, lead: str, anti: bool) -> Judged:
        """Judge the readings of two links: one pair has to agree, or all have to differ.

        Args:
            left: the left link.
            right: the right link.
            lead: the words before the statement.
            anti: whether the chain so far is of antiderivatives.

        """
        best = Judged(Finding(Judgement.UNCHECKED, detail="not read"), "algebra", frozenset())
        texts = left.link.latex, right.link.latex
        for pair in islice(product(left.sides, right.sides), PAIRS):
            anti = anti or any(map(self._is_anti, pair))
            kind = kind_of(*pair, self.scope, lead) if best.pair is None else best.kind
            finding, used = self._compare(*pair, "|".join(texts), anti)
            if finding.judgement is Judgement.INCORRECT and any(map(_DECIMAL.search, texts)):
                finding = Finding(Judgement.UNCHECKED, detail="a decimal that may be rounded")
            judged = Judged(finding, kind, used, pair)
            if finding.judgement is Judgement.CORRECT:
                best = judged
                break
            if best.pair is None or finding.judgement is Judgement.UNCHECKED:
                best = judged
        return replace(best, anti=anti)

    def agree(self, left: Side, right: Side, anti: bool) -> bool:
        """Whether two sides are equal; up to a constant in a chain of antiderivatives."""
        return self._compare(left, right, "agree", anti)[0].judgement is Judgement.CORRECT

    def _is_anti(self, side: Side) -> bool:
        """Whether a side has an indefinite integral that is not differentiated."""
        for name in symbols_of(side.expression):
            part = side.parts.get(name)
            if isinstance(part, Integral) and part.limits is None:
                return True
            value = self.scope.values.get(name) if part is None else None
            if value is not None and self._is_anti(value):
                return True
        return False

    def _compare(
        self, left: Side, right: Side, key: str, anti: bool
    ) -> tuple[Finding, frozenset[str]]:
        """Compare two sides, with the definitions that they use."""
        used: frozenset[str] = frozenset()
        try:
            equation = self.scope.equation(left, right)
            used = equation.used
            constants = {
                name
                for name in equation.free
                if is_constant_name(name) and name not in self.scope.symbols
            }
            moving = any(side.has(Differential, Derivative) for side in (left, right))
            anti = anti or self._is_anti(left) or self._is_anti(right)
            if left.has(Differential) != right.has(Differential):
                raise NotReadError("a differential on one side")
            order = int(anti or (bool(constants) and not moving))
            finding = compare(equation, order, self.assumptions, key, self.work)
            unknown = equation.free - {equation.variable} - self.scope.symbols
            if anti or moving or constants & free_symbols(left) & free_symbols(right):
                unknown -= constants
            given = anti and unknown <= {n for n in free_symbols(left) if _PARAMETER.fullmatch(n)}
            if finding.judgement is Judgement.INCORRECT and unknown and not given:
                return self._solved(equation, sorted(unknown), key, anti or moving), used
        except NotReadError as error:
            return Finding(Judgement.UNCHECKED, detail=str(error)), used
        except FAULTS as error:
            detail = f"{type(error).__name__}: {error}"
            return Finding(Judgement.UNCHECKED, detail=detail[:200]), used
        return finding, used

    def _solved(
        self, equation: Equation, unknown: Sequence[str], key: str, integral: bool
    ) -> Finding:
        """Determine unknown constants, with which the equation may hold."""
        if integral or not all(name[:1].isupper() for name in unknown):
            return Finding(Judgement.UNCHECKED, detail=f"{', '.join(unknown)} unknown")
        values = solve(equation, unknown, self.assumptions, key, self.work)
        if values is None:
            given = not free_symbols(equation.left) & set(unknown)
            wrong = Judgement.INCORRECT if given else Judgement.UNCHECKED
            return Finding(wrong, detail=f"no {', '.join(unknown)} make both sides equal")
        if not values:
            return Finding(Judgement.UNCHECKED, detail=f"{', '.join(unknown)} not determined")
        for name, value in values.items():
            self.scope.values[name] = Side(value, {})
            self.scope.solved.add(name)
        return Finding(Judgement.CORRECT, points=len(unknown), detail=UNKNOWN)
