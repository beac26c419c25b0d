"""The context of a claim: the chain of equalities, and conditions and points of the sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ....reading.expression.linear import NotLinearError
from ....reading.expression.tree import Symbol
from ..extents import NotReadError
from ..operations import Integral, Side
from ..points import Points, is_narrow
from ..result import Judgement
from ..scope import Range, Scope, is_constant_name
from ..substitution import free_symbols
from ..text import prose
from ..text.statements import Statement
from .equality import Finding
from .readings import Judge, Judged, Read


@dataclass(slots=True)
class EquationChain:
    """The part of a chain of equalities read so far."""

    first_link: Read | None = None
    last_link: Read | None = None
    anti: bool = False  # it is of antiderivatives
    proven: tuple[Side, Side] | None = None  # the ends of what is proven, as they were read


def in_context(
    judged: Judged,
    statement: Statement,
    conditions_of: Mapping[int, dict[str, Range] | None],
    points: Points,
    judge: Judge,
) -> Judged:
    """Adapt the judgement on a claim to the conditions and points of the sentence.

    A wrong claim may become unchecked, or right for one point. A right claim may no longer count as
    progress.

    Args:
        judged: the finding about a claim.
        statement: the statement of the claim.
        conditions_of: the conditions of each sentence, by the number of the sentence. An entry is
            None if the conditions are not read.
        points: the points named in the text.
        judge: the judge of the text's equations.

    """
    scope = judge.scope
    conditions = conditions_of.get(statement.sentence, {})
    if conditions == {} and judged.finding.judgement is not Judgement.INCORRECT:
        return judged
    try:
        sides = [scope.written_out(scope.evaluated(side), {}) for side in judged.pair or ()]
    except (NotReadError, NotLinearError):
        return judged
    letters = any(map(free_symbols, sides))  # numbers alone have no conditions
    if letters and (conditions is None or any(map(is_narrow, conditions.values()))):
        judged = replace(judged, earns=False)  # else it could not cost what it earns
    if judged.finding.judgement is not Judgement.INCORRECT or judged.pair is None:
        return judged
    unknown_names = set().union(*map(free_symbols, sides)) - scope.names
    unknown_names = {name for name in unknown_names if not is_constant_name(name)}
    if judged.finding.witness and unknown_names and prose.asks(statement.lead):
        unread = Finding(Judgement.UNCHECKED, detail=f"an equation for {min(unknown_names)}")
        return replace(judged, finding=unread)
    at_point = _is_at_point(judged.pair, sides, statement, points, scope)
    if not at_point and not (letters and conditions is None):
        return judged
    if at_point and points.hold(judged.pair, statement.sentence, judge.equal):
        return replace(judged, finding=Finding(Judgement.CORRECT, points=1), earns=False)
    detail = "said of a point" if at_point else "a condition that is not read"
    return replace(judged, finding=Finding(Judgement.UNCHECKED, detail=detail))


def _is_at_point(
    pair: tuple[Side, Side],
    sides: Sequence[Side],
    statement: Statement,
    points: Points,
    scope: Scope,
) -> bool:
    """Whether an equation may be meant for one point, instead of all values of a variable."""
    varies = any(free_symbols(side) & scope.variables for side in sides)
    named = varies and bool(points.of(statement.sentence))
    if named and not any(side.has(Integral) for side in sides):
        return True
    # "after v(t) = 0": no text says that a function is constant which it has defined.
    name, number = pair[0].expression, pair[1]
    vanishes = isinstance(name, Symbol) and name.name in scope.moving()
    vanishes |= varies and prose.names_roots(statement.lead)
    return vanishes and not free_symbols(number) and not number.operations
