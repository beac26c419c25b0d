r"""Whether ``u`` and ``dv`` are the parts of an integral that the text is about.

To choose ``u = x`` and ``dv = \cos x\,dx`` says that x cos x is integrated. The choice is wrong if
no integral of the whole text is that one, up to a factor, but is one with the v that the text goes
on with, or with the dv or the u of the same choice elsewhere; else it claims nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ....reading.expression.build import ZERO, mul
from ....reading.expression.derivative import differentiate
from ....reading.expression.traversal import symbols_of
from ....reading.expression.tree import Call, Expression
from ..result import Claim, Definition, Judgement
from ..scope import Scope
from ..sides import Integral, Side
from .readings import Judge

#: Choices and integrals that are compared with each other; texts with more say nothing by choices.
#: The longest solution of the chapters that docs/steps.md measures has 6 choices and 31 integrals.
CHOICES, INTEGRALS = 8, 40


@dataclass(slots=True)
class _Choice:
    """A choice of parts: u, dv as an integral, and the definition that is wrong if they are."""

    first: int  # index of the claim before which it stands
    u: Expression
    dv: Integral
    left: str
    place: Definition
    displayed: bool
    v: Expression | None = None


@dataclass(slots=True)
class Parts:
    """The choices of parts in a text, and the integrals that they may be the parts of."""

    whole: Integral
    integrals: dict[tuple[Expression, str], None] = field(default_factory=dict)
    choices: list[_Choice] = field(default_factory=list)
    unread: bool = False  # a formula with an integral is not read

    def see(self, latex: str, sides: Sequence[Side]) -> None:
        """Keep the integrals of a formula."""
        self.unread |= not sides and ("int" in latex or "∫" in latex)
        for side in sides:
            for part in side.parts.values():
                if isinstance(part, Integral):
                    self.integrals[part.integrand, part.variable] = None

    def choose(
        self, name: str, scope: Scope, definitions: Sequence[Definition], first: int, shown: bool
    ) -> None:
        """Keep a choice: ``name`` is v, whose differential has been said last."""
        u_name = name.replace("v", "u").replace("V", "U")
        u, dv = scope.values.get(u_name), scope.values[name]
        integral = next((part for part in dv.parts.values() if isinstance(part, Integral)), None)
        if u_name == name or u is None or integral is None or u.parts:
            return
        place, left = definitions[-1], f"d{name}"
        before = self.choices[-1] if self.choices else None
        if before is not None and before.dv == integral:  # then it is u that is new
            place = next((one for one in reversed(definitions) if one.name == u_name), place)
            left = place.name
        self.choices.append(_Choice(first, u.expression, integral, left, place, shown))

    def settle(self, value: Side) -> None:
        """Keep what v is said to be."""
        if self.choices and not value.parts:
            self.choices[-1].v = value.expression

    def drop(self, first: int) -> None:
        """Forget the choices of a try that the text gives up."""
        self.choices = [one for one in self.choices if one.first < first]

    def judged(self, claims: Sequence[Claim], judge: Judge) -> list[Claim]:
        """The claims of a text with the choices that are of no integral; these earn nothing on."""
        found = list(claims)
        for one in reversed(list(self._wrong(judge))):
            later = [
                replace(each, gain=0.0, follows=_shifted(each.follows, one.first))
                for each in found[one.first :]
            ]
            place = one.place.start, one.place.end, one.displayed
            claim = Claim("parts", Judgement.INCORRECT, one.left, one.place.value, *place)
            found = [*found[: one.first], claim, *later]
        return found

    def _wrong(self, judge: Judge) -> Iterator[_Choice]:
        known = [*self.integrals, (self.whole.integrand, self.whole.variable)]
        if self.unread or len(self.choices) > CHOICES or len(known) > INTEGRALS:
            return
        known += [(term, by) for tree, by in known for term in _terms(tree)]

        def fits(one: _Choice, slope: Expression) -> bool | None:
            """Whether u times the slope of v is an integrand of the text; None if not known."""
            by, product = one.dv.variable, mul(one.u, slope)
            if symbols_of(product) - judge.scope.symbols - {by}:
                return None
            ratios = [Call("div", (product, tree)) for tree, of in known if of == by]
            found = {judge.proportional(each) for each in ratios}
            return False if found == {Judgement.INCORRECT} else Judgement.CORRECT in found or None

        own = [fits(one, one.dv.integrand) for one in self.choices]
        for at, one in enumerate(self.choices):
            if own[at] is not False:
                continue
            slope = _slope(one.v, one.dv.variable) if one.v is not None else None
            if slope is not None and fits(one, slope):
                yield one  # what the text goes on with is the v of another dv
                continue
            # Said twice, as in a table that is filled in later, and once as an integrand has it.
            if any(
                0 <= other < len(own)
                and own[other]
                and _restates(self.choices[first], self.choices[first + 1], judge)
                for first, other in ((at - 1, at - 1), (at, at + 1))
            ):
                yield one


def _restates(one: _Choice, other: _Choice, judge: Judge) -> bool:
    """Whether a choice is the one before once more, but for u or dv."""
    if one.v is not None or (one.u != other.u and one.dv != other.dv):
        return False
    # The parts of what is left look like it: u = x^2, then u = 2x with the same dv.
    slope = _slope(one.u, one.dv.variable)
    next_one = slope and judge.proportional(Call("div", (slope, other.u)))
    return next_one is Judgement.INCORRECT or slope == ZERO


def _slope(tree: Expression, by: str) -> Expression | None:
    try:
        return differentiate(tree, by)
    except ValueError:
        return None


def _terms(tree: Expression) -> tuple[Expression, ...]:
    return tree.args if isinstance(tree, Call) and tree.function == "add" else ()


def _shifted(follows: int | None, at: int) -> int | None:
    """The index of a claim when another one stands before it."""
    return follows if follows is None or follows < at else follows + 1
