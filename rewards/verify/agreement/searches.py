"""Searches for a fault of an answer F, after F' and f have agreed at the first points.

`SEARCHES` lists the searches in order. A search returns an outcome if it decides about F,
else None. The first outcome ends the decision. Cheap searches with many refutations come first.
Searches that need more points come after the search that adds points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...numeric.ball_arithmetic.compare import POINT_BITS
from ...numeric.ball_arithmetic.point_count import points_wanted
from ...numeric.comparison.at_points import Comparison
from ...numeric.outcome import Outcome
from ...numeric.sampling.pool import MIN_POINTS
from ...proof.discontinuities.search import JumpSearch
from ...verdict import Status
from . import branches, hidden_terms
from .confirmation import Confirmation

#: Points that measure coverage once a branch of f's radicals differs somewhere: a share is known to
#: 1/32, one digit. 16 or 64 change no verdict (tests/mutation/constants.py).
COVERAGE_POINTS = 32
#: A longer sum or product, unless it is proved, may be a truncated series or a quadrature rule. No
#: right answer of the corpora that is only agreed has 15 (tests/mutation/constants.py).
MAX_TERMS = 30
#: Times as many points are tried, before those of `finer` (which are many), where F has no value at
#: the first ones. 2 or 8 change no verdict (tests/mutation/constants.py).
ATTEMPT_FACTOR = 4


class UnrefutedAnswer(NamedTuple):
    """An answer without a refutation so far.

    Attributes:
        at: the comparison of the derivative F' of the answer F with the integrand f.
        steps: the search for jumps of F.
        is_proved: whether F' = f is proved. F can then be wrong at isolated points only.

    """

    at: Comparison
    steps: JumpSearch
    is_proved: bool

    @property
    def wanted(self) -> int:
        """The number of sample points that answer and integrand require."""
        return max(points_wanted(self.at.tape), points_wanted(self.at.pool.tape))

    @property
    def is_shown(self) -> bool:
        """Whether the answer has a value, and is proved right.

        Such an answer needs no points of agreement. If the integrand is zero or huge, there may be
        no such points.
        """
        return self.is_proved and self.at.has_value()


Search = Callable[[UnrefutedAnswer], Outcome | None]


def too_long(at: Comparison) -> Outcome | None:
    """Refuse an answer with too many terms or factors for a closed form."""
    longest = at.tape.longest
    if longest <= max(MAX_TERMS, 2 * at.pool.tape.longest):
        return None
    detail = f"{longest} terms that only agree in numbers are no closed form"
    return Outcome(Status.NOT_CLOSED_FORM, at.usable, detail=detail)


def _long_sums(case: UnrefutedAnswer) -> Outcome | None:
    return None if case.is_proved else too_long(case.at)


def _wanted_points(case: UnrefutedAnswer) -> Outcome | None:
    return case.at.visit(case.at.pool.take(case.wanted)[MIN_POINTS:])


def _off_the_line(case: UnrefutedAnswer) -> Outcome | None:
    tape = case.at.tape
    if case.at.pool.tier == "complex" and (tape.breaks or tape.bars):
        return case.at.undecided("f is real nowhere, and no disc decides")
    return None


def _between_breakpoints(case: UnrefutedAnswer) -> Outcome | None:
    pool = case.at.pool
    return case.at.visit(pool.between()) if pool.tape.breaks or pool.tape.branches else None


def _coverage(case: UnrefutedAnswer) -> Outcome | None:
    at = case.at
    return at.visit(at.pool.take(COVERAGE_POINTS)[case.wanted :]) if at.flipped else None


def _more_points(case: UnrefutedAnswer) -> Outcome | None:
    """Compare the answer with the integrand at more points, if the answer needs more points."""
    at, count = case.at, case.wanted
    if at.usable >= MIN_POINTS:
        return None
    refuted = at.visit(at.pool.take(ATTEMPT_FACTOR * count)[count:])
    if refuted is None and at.usable < MIN_POINTS:
        refuted = at.visit(at.pool.finer(), enough=count)
    if refuted is None and at.usable < MIN_POINTS and not case.is_shown:
        return at.undecided(f"only {at.usable} usable points")
    return refuted


def _branch_of_radicals(case: UnrefutedAnswer) -> Outcome | None:
    """Refute the answer, or be undecided, if the integrand's own roots fit at few points."""
    at = case.at
    if not at.flipped:
        return None
    branches.drop_indifferent(at)
    if 0 < len(at.agreeing) < MIN_POINTS:
        refuted = at.visit_new(branches.beside(at.agreeing))
        if refuted is not None:
            return refuted
        branches.drop_indifferent(at)
    if len(at.agreeing) >= MIN_POINTS:
        return None
    if at.agreeing:
        return at.undecided("the right branch holds at too few points")
    return branches.another_everywhere(at)


def _finite_value(case: UnrefutedAnswer) -> Outcome | None:
    if case.at.is_finite or case.is_shown:
        return None
    return case.at.undecided("the answer has no finite value at any point")


def _whole_numbers(case: UnrefutedAnswer) -> Outcome | None:
    if not case.is_proved and case.at.faint > case.at.max_bits - 2 * POINT_BITS:
        return case.at.undecided("a constant of the answer is too near to a whole number")
    return None


def _change_of_branch(case: UnrefutedAnswer) -> Outcome | None:
    return branches.change(case.at)


def _jumps(case: UnrefutedAnswer) -> Outcome | None:
    return case.steps.refute(proved=case.is_proved)


def _special_terms(case: UnrefutedAnswer) -> Outcome | None:
    return hidden_terms.look(case.at) if case.at.tape.special else None


def _confirmation(case: UnrefutedAnswer) -> Outcome | None:
    return None if case.is_proved else Confirmation(case.at).refute()


SEARCHES: tuple[Search, ...] = (
    # Needs no point.
    _long_sums,
    # The points that every later search builds on: more where F and f have more parts, on each
    # interval between f's breakpoints, and, if a branch differs somewhere, enough to count them.
    _wanted_points,
    _off_the_line,
    _between_breakpoints,
    _coverage,
    _more_points,
    # Gates: without enough telling points, the later searches would decide nothing.
    _branch_of_radicals,
    _finite_value,
    _whole_numbers,
    # A change of branch at the points so far costs no new point. The search for jumps adds points
    # beside the known points, so that branches are compared once more.
    _change_of_branch,
    _jumps,
    _change_of_branch,
    # With special functions the bits are few, and a term may hide in the error.
    _special_terms,
    # The last check takes most bits: far points, until each part of F and f shows.
    _confirmation,
)


def refute(case: UnrefutedAnswer) -> Outcome | None:
    """Return the first outcome of a search: incorrect, refused or undecided. Else None."""
    return next((outcome for search in SEARCHES if (outcome := search(case))), None)
