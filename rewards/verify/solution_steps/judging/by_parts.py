r"""Whether a choice of ``u`` and ``dv`` for integration by parts fits an integral of the text.

To choose ``u = x`` and ``dv = \cos x\,dx`` says that x cos x is integrated. A choice fits an
integrand that is proportional to u v'. A choice is wrong if the choice fits no integrand of the
text, but a correction of the choice fits an integrand. The correction is the v used afterwards, or
another u or dv chosen afterwards. Other choices are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ....reading.expression.build import ZERO, mul
from ....reading.expression.derivative import differentiate
from ....reading.expression.traversal import symbols_of
from ....reading.expression.tree import Call, Expression
from ..operations import Integral, Side
from ..result import Claim, Definition, Judgement
from ..scope import Scope
from .readings import Judge

#: Choices and integrals that are compared with each other; texts with more say nothing by choices.
#: The longest solution of the chapters that docs/steps.md measures has 6 choices and 31 integrals.
CHOICES, INTEGRALS = 8, 40


@dataclass(slots=True)
class _Choice:
    """A choice of u and dv for integration by parts.

    ``definition`` states the choice. If the choice is wrong, a wrong claim is inserted at the
    definition.
    """

    claim_index: int  # of the claim before which the text states the choice
    u: Expression
    dv: Integral
    lhs: str
    definition: Definition
    displayed: bool
    v: Expression | None = None


@dataclass(slots=True)
class Parts:
    """The integrals of a text, and the text's choices of u and dv for integration by parts."""

    problem_integral: Integral | None
    integrals: dict[tuple[Expression, str], None] = field(default_factory=dict)
    choices: list[_Choice] = field(default_factory=list)
    unread: bool = False  # a formula with an integral is not read

    def see(self, latex: str, sides: Sequence[Side]) -> None:
        """Record the integrals of a formula."""
        self.unread |= not sides and ("int" in latex or "∫" in latex)
        for side in sides:
            for operation in side.operations.values():
                if isinstance(operation, Integral):
                    self.integrals[operation.integrand, operation.variable] = None

    def choose(
        self,
        name: str,
        scope: Scope,
        definitions: Sequence[Definition],
        claim_index: int,
        displayed: bool,
    ) -> None:
        """Record a choice of u and dv, after the text has stated dv. ``name`` is the name of v."""
        u_name = name.replace("v", "u").replace("V", "U")
        u, dv = scope.values.get(u_name), scope.values[name]
        integral = next(
            (operation for operation in dv.operations.values() if isinstance(operation, Integral)),
            None,
        )
        if u_name == name or u is None or integral is None or u.operations:
            return
        definition, lhs = definitions[-1], f"d{name}"
        previous = self.choices[-1] if self.choices else None
        if previous is not None and previous.dv == integral:  # then the text has changed u
            definition = next(
                (entry for entry in reversed(definitions) if entry.name == u_name),
                definition,
            )
            lhs = definition.name
        self.choices.append(
            _Choice(claim_index, u.expression, integral, lhs, definition, displayed)
        )

    def settle(self, value: Side) -> None:
        """Record the stated v of integration by parts."""
        if self.choices and not value.operations:
            self.choices[-1].v = value.expression

    def drop(self, claim_index: int) -> None:
        """Forget the choices of an abandoned attempt from the claim ``claim_index``."""
        self.choices = [choice for choice in self.choices if choice.claim_index < claim_index]

    def judged(self, claims: Sequence[Claim], judge: Judge) -> list[Claim]:
        """For each wrong choice of u and dv, insert a wrong claim into the claims of the text.

        The claims after a wrong choice do not count as progress.
        """
        result = list(claims)
        for choice in reversed(list(self._wrong(judge))):
            following = [
                replace(
                    later_claim, gain=0.0, follows=_shifted(later_claim.follows, choice.claim_index)
                )
                for later_claim in result[choice.claim_index :]
            ]
            span = choice.definition.start, choice.definition.end, choice.displayed
            claim = Claim("parts", Judgement.INCORRECT, choice.lhs, choice.definition.value, *span)
            result = [*result[: choice.claim_index], claim, *following]
        return result

    def _wrong(self, judge: Judge) -> Iterator[_Choice]:
        integrands = [*self.integrals]
        if self.problem_integral is not None:
            integrands.append((self.problem_integral.integrand, self.problem_integral.variable))
        if self.unread or len(self.choices) > CHOICES or len(integrands) > INTEGRALS:
            return
        integrands += [(term, by) for tree, by in integrands for term in _terms(tree)]

        def fits(choice: _Choice, slope: Expression) -> bool | None:
            """Whether u times ``slope`` is proportional to an integrand. None means undecided."""
            by, product = choice.dv.variable, mul(choice.u, slope)
            if symbols_of(product) - judge.scope.symbols - {by}:
                return None
            ratios = [Call("div", (product, tree)) for tree, of in integrands if of == by]
            judgements = {judge.proportional(ratio) for ratio in ratios}
            if judgements == {Judgement.INCORRECT}:
                return False
            return Judgement.CORRECT in judgements or None

        fits_of_choices = [fits(choice, choice.dv.integrand) for choice in self.choices]
        for at, choice in enumerate(self.choices):
            if fits_of_choices[at] is not False:
                continue
            slope = _slope(choice.v, choice.dv.variable) if choice.v is not None else None
            if slope is not None and fits(choice, slope):
                yield choice  # the v used afterwards belongs to another dv
                continue
            # Said twice, as in a table that is filled in later, and once as an integrand has it.
            if any(
                0 <= fitting < len(fits_of_choices)
                and fits_of_choices[fitting]
                and _restates(self.choices[earlier], self.choices[earlier + 1], judge)
                for earlier, fitting in ((at - 1, at - 1), (at, at + 1))
            ):
                yield choice


def _restates(choice: _Choice, repeated: _Choice, judge: Judge) -> bool:
    """Whether the text repeats a choice for the same integral, with at most one new part.

    The parts are u and dv. A choice for the remaining integral, such as u = 2x after u = x^2, is
    not a repetition.
    """
    if choice.v is not None or (choice.u != repeated.u and choice.dv != repeated.dv):
        return False
    # The choices for a remaining integral look alike: u = x^2, then u = 2x with the same dv.
    slope = _slope(choice.u, choice.dv.variable)
    next_one = slope and judge.proportional(Call("div", (slope, repeated.u)))
    return next_one is Judgement.INCORRECT or slope == ZERO


def _slope(tree: Expression, by: str) -> Expression | None:
    try:
        return differentiate(tree, by)
    except ValueError:
        return None


def _terms(tree: Expression) -> tuple[Expression, ...]:
    return tree.args if isinstance(tree, Call) and tree.function == "add" else ()


def _shifted(follows: int | None, at: int) -> int | None:
    """The index of the claim ``follows`` after an insertion at index ``at``. None remains None."""
    return follows if follows is None or follows < at else follows + 1
