r"""Generators of cases about sums and power series. Each case has a right or a wrong answer.

Some questions are from the benchmark's generator of sums, and their answers follow from their
construction. The other questions are from the question bank. A wrong answer has another sign,
factor or term, or is the answer to a shifted sum. Other wrong answers are a decimal, an infinity, a
number fitted to the digits, or a repetition of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from flint import acb

from .....benchmarks.calculus_course.bank import entries
from .....benchmarks.calculus_course.sums import DIVERGES, drawn
from .....benchmarks.hashed_random import HashedRandom
from .....rewards.numeric.ball_arithmetic.balls import UnusableError, precision
from .....rewards.numeric.ball_arithmetic.compiler import compile_tape
from .....rewards.reading.expression.traversal import substitute, symbols_of
from .....rewards.reading.expression.tree import Expression, Number
from .....rewards.reading.latex import ReadError, read
from .....rewards.reading.problem.power_series import asks_of_series
from ..case import Case, group_generator

#: Answers of each question: the right one, and wrong ones.
ANSWERS = 12
#: Parts that no digits show, also of a whole n.
_TINY = (r"e^{-e^{e^e}}", "10^{-4000}", "10^{-50}", r"\frac{1}{(10^{30})!}")
_OF_N = (
    r"\binom{n}{60}",
    r"\binom{n}{1000}",
    r"\frac{1}{10^{90}}",
    r"(n-1)(n-2)(n-3)",
    r"n!-n!\,n",
)
#: Points at which a wrong answer has to differ from the right one; a part that differs at none of
#: them is certainly wrong for another reason, and is in the lists above.
_POINTS = (Number(7, 16), Number(5), Number(12))


def _at(answer: str, at: Number) -> acb | None:
    """Evaluate an answer with the value ``at`` for every symbol.

    The result is None if there is no value.
    """
    try:
        tree: Expression = read(answer, symbols=("n", "k", "m", "a", "r", "x", "c"))[0].expression
        for name in symbols_of(tree):
            tree = substitute(tree, name, at)
        with precision(256):
            tape = compile_tape(tree, "")
            value: acb = tape.run(acb(0), {}, derivative=False)[tape.root][0]
    except (ReadError, UnusableError, KeyError):
        return None
    return value if value.is_finite() else None


def _differs(right: str, wrong: str) -> bool:
    """Whether two answers have different values at one of `_POINTS`."""
    for at in _POINTS:
        a, b = _at(right, at), _at(wrong, at)
        if a is not None and b is not None and not (a - b).contains(0):
            return True
    return False


def _changed_numbers(rng: HashedRandom, answer: str) -> Iterator[str]:
    """Yield copies of the answer in which a number is changed by 1, or a sign is changed."""
    for match in re.finditer(r"(?<![\d.])\d+(?![\d.])", answer):
        step = rng.choice((1, -1)) if int(match[0]) > 1 else 1
        yield f"{answer[: match.start()]}{int(match[0]) + step}{answer[match.end() :]}"
    for match in re.finditer(r"(?<=[\w})])\s*([+-])\s*(?=[\w\\({])", answer):
        sign = "-" if match[1] == "+" else "+"
        yield f"{answer[: match.start(1)]}{sign}{answer[match.end(1) :]}"


def wrong_answers(rng: HashedRandom, latex: str, answer: str) -> list[str]:
    """Make wrong answers in LaTeX that are close to the right answer of a question."""
    echoes = [] if asks_of_series(latex) else [latex, latex.replace(r"\sum", r"\sum\limits")]
    if answer == DIVERGES:
        return [
            "0",
            "1",
            r"\frac12",
            r"\ln 2",
            r"\frac{\pi^2}{6}",
            str(rng.integer(2, 99)),
            *echoes,
        ]
    n, k = rng.integer(2, 60), rng.integer(6, 30)
    if answer == r"\infty":
        return ["0", "1", str(n), r"-\infty", *echoes]
    tiny = rng.choice(_TINY)
    wrong = [*echoes, r"\infty", DIVERGES, rf"{answer}+{tiny}"]
    # Certainly wrong answers are kept as they are; candidates may equal the right answer and are
    # tested below.
    candidates = [
        rf"-\left({answer}\right)",
        rf"\frac{{{n}}}{{{n + 1}}}\left({answer}\right)",
        rf"{answer}+\frac{{1}}{{{n}}}",
        rf"2\left({answer}\right)",
        rf"\left({answer}\right)^2+{n}",
        *_changed_numbers(rng, answer),
    ]
    if re.search(r"(?<![\\a-z])n(?![a-z])", answer):
        wrong.append(f"{answer}+{rng.choice(_OF_N[:3])}")
        candidates += [f"{answer}+{rng.choice(_OF_N[3:])}", answer.replace("n", "(n-1)")]
        candidates.append(answer.replace("n", "(n+1)"))
    if "x" in answer and asks_of_series(latex):
        candidates += [f"{answer}+x^{rng.integer(1, 7)}", f"{answer}+{n}", latex.rpartition("$")[0]]
    # Decimals and fractions with k digits agree with the value to k digits: agreement alone must
    # not accept them.
    exact = _at(answer, Number(1)) if not _has_symbols(answer) else None
    if exact is not None and not exact.is_zero():
        decimal = exact.real.str(k, radius=False)
        candidates += [decimal] if "e" not in decimal else []
        fitted = f"{exact.real.mid() * 10**k}".partition(".")[0]
        candidates.append(str(n) if "e" in fitted else rf"\frac{{{fitted}}}{{10^{{{k}}}}}")
    return wrong + [text for text in dict.fromkeys(candidates) if _differs(answer, text)]


def _has_symbols(answer: str) -> bool:
    try:
        return bool(symbols_of(read(answer)[0].expression))
    except ReadError:
        return True


def _case(rng: HashedRandom, text: str, answer: str, number: int) -> Case:
    answers = [answer, *rng.shuffled(wrong_answers(rng, text, answer))][:ANSWERS]
    chosen = answers[number % len(answers)]
    return Case(text, rf"\boxed{{{chosen}}}", chosen is answer, f"answer {answer}", task="sum")


@group_generator(ANSWERS)
def sums(rng: HashedRandom, number: int) -> Case:
    """Make a case with a sum or a Taylor polynomial and its answer, or a wrong answer."""
    problem = drawn(rng.below(2**30), rng.below(2**30))
    return _case(rng, problem.text, problem.answer, number)


@cache
def _bank() -> tuple[tuple[str, str], ...]:
    return tuple((entry.question, entry.answer) for entry in entries("sums"))


@group_generator(ANSWERS)
def bank_sums(rng: HashedRandom, number: int) -> Case:
    """Make a case of a question from the question bank, with its right answer or a wrong one."""
    text, answer = rng.choice(_bank())
    return _case(rng, text, answer, number)
