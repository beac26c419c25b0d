r"""Limits of sequences that a recursion defines: ``u_1 = \sqrt2, u_{n+1} = \sqrt{2 + u_n}``.

The recursion is u -> f(u). If f maps an interval around a term into the interval, and the absolute
value of f' is at most q < 1 there, the sequence tends to the only fixed point of f in the interval
(Banach's fixed-point theorem).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from flint import acb, arb

from ..numeric.ball_arithmetic.balls import Tape, UnusableError, precision
from ..numeric.ball_arithmetic.compiler import compile_tape
from ..numeric.ball_arithmetic.evaluation import evaluate
from ..numeric.outcome import Outcome, show
from ..reading.expression.traversal import all_nodes, needs_worker, substitute, symbols_of
from ..reading.expression.tree import Expression
from ..reading.functions import names
from ..reading.problem.sequences.recursion import Recursion
from ..verdict import Status, Witness
from .equality import equality

#: Bits of terms, and the size of an interval around the limit that is small enough: 38 digits tell
#: rounded answers apart. No answer of tests/rewards/cases/course_questions.json changes with 192
#: bits, or with 2^-64.
_BITS: Final = 384
_SMALL: Final = arb(2) ** -128
#: Terms that are computed, and nodes. With the slope 15/16 at the limit 1,400 terms come to 2^-128.
_TERMS, _NODES = 1_500, 60_000
#: The radius of the interval, in distances of two consecutive terms. The interval is mapped into
#: itself if the slope is at most 1 - 1/16; steeper recursions need more terms than are computed.
_WIDTH: Final = 16
_BROKEN: Final = names(lambda function: bool(function.breaks)) | {"piecewise"}


def judge_limit(recursion: Recursion, answer: Expression | None) -> Outcome:
    """Judge whether a number is the limit of a sequence.

    Args:
        recursion: the sequence.
        answer: the number. None means that the sequence has no limit.

    """
    intervals = _intervals(recursion)
    if intervals is None:
        return Outcome(Status.UNDECIDED, detail="the sequence is not proved to converge")
    attraction, limit = intervals
    if answer is None or symbols_of(answer):
        return Outcome(Status.INCORRECT, points=1, detail="the sequence has a limit, a number")
    try:
        with precision(_BITS):
            got = evaluate(answer)
    except UnusableError as error:
        return Outcome(Status.UNDECIDED, detail=str(error))
    if not got.is_finite():
        return Outcome(Status.UNDECIDED, detail="no value of the answer")
    if not got.overlaps(acb(limit)):
        witness = Witness("", expected=show(acb(limit)), got=show(got))
        return Outcome(Status.INCORRECT, points=1, witness=witness)
    # Balls that overlap prove no equality. The limit is the only fixed point in the interval: an
    # answer in the interval is right if the prover shows f(answer) = answer.
    image = substitute(recursion.step, recursion.name, answer)
    is_fixed = equality(image, answer) is not None
    if is_fixed and got.imag.is_zero() and attraction.contains(got.real):
        return Outcome(Status.CORRECT, points=1, proof="contraction")
    return Outcome(Status.UNDECIDED, detail="the answer is not proved to be a fixed point")


@lru_cache(maxsize=256)
def _intervals(recursion: Recursion) -> tuple[arb, arb] | None:
    """An interval whose only fixed point is the limit of the sequence, and a small ball of it."""
    nodes = {node.function for node in all_nodes(recursion.step)}
    if not nodes.isdisjoint(_BROKEN) or needs_worker(recursion.step):
        return None
    try:
        with precision(_BITS):
            term = evaluate(recursion.first)
        step = compile_tape(recursion.step, recursion.name)
    except UnusableError:
        return None
    # Follow the sequence until f contracts an interval around a term into the interval. From then
    # on, distance / (1 - slope) bounds the distance of a term from the limit.
    attraction, slope = None, arb(1)
    with precision(_BITS):
        for _ in range(min(_TERMS, _NODES // len(all_nodes(recursion.step)))):
            following = step.value(term, {})
            if not (following.is_finite() and following.imag.is_zero()):
                return None
            distance = abs(following.real - term.real).abs_upper()
            if attraction is None:
                interval = term.real + arb(0, 1) * _WIDTH * distance
                slope = _steepest(step, interval)
                if slope < 1 and distance <= (1 - slope) * _WIDTH * distance:
                    attraction = interval
            if attraction is not None and distance <= (1 - slope) * _SMALL:
                return attraction, term.real + arb(0, 1) * distance / (1 - slope)
            term = following
    return None


def _steepest(step: Tape, interval: arb) -> arb:
    """A bound of the absolute value of the slope on an interval. Infinity means no bound."""
    value, slope = step.run(acb(interval), {})[step.root]
    if slope is None or not (slope.is_finite() and value.imag.is_zero()):
        return arb("inf")
    return arb(abs(slope).abs_upper())
