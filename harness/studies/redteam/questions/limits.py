r"""Generators of limits with right and wrong answers.

Some limits are quotients of infinitesimals, whose answers follow from their construction. The other
limits are from the question bank. A wrong answer has another sign, factor or order, or a tiny
additional term that the usual digits do not show. Other wrong answers are an infinity, a decimal,
or a repetition of the question.
"""

from __future__ import annotations

from functools import cache

from flint import acb

from .....benchmarks.calculus_course.bank import entries
from .....benchmarks.calculus_course.limits import NO_LIMIT, generated
from .....benchmarks.hashed_random import HashedRandom
from .....benchmarks.payloads import QuestionTarget
from .....rewards.numeric.ball_arithmetic.balls import precision
from .....rewards.numeric.ball_arithmetic.compiler import compile_tape
from .....rewards.reading.expression.traversal import symbols_of
from .....rewards.reading.expression.tree import Expression
from .....rewards.reading.latex import read
from ..case import Case, DiscardedError, group_generator

#: Answers of each limit: the right one, and wrong ones.
ANSWERS = 12
#: Parts that no digits show.
_TINY = (r"e^{-e^{e^e}}", "10^{-4000}", "10^{-40}", "2^{-90}")
_INFINITE = (r"\infty", r"-\infty")


def _value(expression: Expression) -> acb:
    tape = compile_tape(expression, "")
    value: acb = tape.run(acb(0), {}, derivative=False)[tape.root][0]
    return value


def wrong_answers(rng: HashedRandom, question: str, answer: str) -> list[str]:
    """Make wrong answers in LaTeX that are close to the right answer. ``question`` is the limit."""
    echoes = [question, question.replace(r"\lim", r"\operatorname{lim}")]
    if answer == NO_LIMIT:
        return [*_INFINITE, "0", "1", "-1", r"\frac12", str(rng.integer(2, 99)), *echoes]
    if answer in _INFINITE:
        infinity = r"\infty" if answer.startswith("-") else r"-\infty"
        return [infinity, NO_LIMIT, "0", "1", str(10 ** rng.integer(3, 30)), *echoes]
    n, k = rng.integer(2, 60), rng.integer(3, 30)
    tiny = rng.choice(_TINY)
    # Tiny differences test precision; infinities, "no limit" and echoes test the reading of
    # answers.
    near = [
        rf"{answer}+{tiny}",
        rf"{answer}-\frac{{1}}{{{n}}}",
        rf"\left({answer}\right)^2+{n}",
        *_INFINITE,
        NO_LIMIT,
        *echoes,
    ]
    # Formulas with parameters have no number for the test below.
    expression = read(answer)[0].expression
    if symbols_of(expression):
        return [*near, rf"{n}\left({answer}\right)", "1", "0"]
    with precision(256):
        exact = _value(expression)
        if exact.is_zero():
            return [*near, "1", "-1", rf"\frac{{1}}{{{n}}}", "0.0001"]
        decimal = exact.real.str(k, radius=False)
        # Candidates equal to the answer, such as 2 * 0, are dropped by their balls.
        candidates = [
            rf"-\left({answer}\right)",
            rf"\left({answer}\right)\frac{{{n}}}{{{n + 1}}}",
            rf"\frac{{1}}{{{answer}}}",
            rf"2\left({answer}\right)",
            decimal if "e" not in decimal else f"{n}",
            "0",
        ]
        return near + [
            text
            for text in candidates
            if not (_value(read(text)[0].expression) - exact).contains(0)
        ]


def _case(rng: HashedRandom, question: str, answer: str, number: int) -> Case:
    answers = [answer, *rng.shuffled(wrong_answers(rng, question, answer))][:ANSWERS]
    chosen = answers[number % len(answers)]
    note = f"limit {answer}"
    return Case(question, rf"\boxed{{{chosen}}}", chosen is answer, note, task="limit")


@group_generator(ANSWERS)
def limits(rng: HashedRandom, number: int) -> Case:
    """Make a case with a limit of a quotient of infinitesimals and its value, or a wrong answer."""
    target = generated(rng.below(2**30), rng.below(2**30)).target_as(QuestionTarget)
    if target.answer is None:
        raise DiscardedError
    return _case(rng, target.question, target.answer, number)


@cache
def _bank() -> tuple[tuple[str, str], ...]:
    return tuple((entry.question, entry.answer) for entry in entries("limits"))


@group_generator(ANSWERS)
def bank_limits(rng: HashedRandom, number: int) -> Case:
    """Make a case with a limit from the question bank and its answer, or a wrong answer."""
    question, answer = rng.choice(_bank())
    return _case(rng, question, answer, number)
