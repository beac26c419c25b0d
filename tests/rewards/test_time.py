"""Work is linear in a text, whatever is nested, and no text keeps a process busy."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random

import pytest

from calculus_harness.rewards import (
    NoCertificateError,
    Status,
    certify,
    verify_antiderivative,
    verify_definite_integral,
    verify_equivalent,
    verify_integer,
    verify_label,
    verify_solution,
    verify_value,
)
from calculus_harness.rewards.numeric.ball_arithmetic.balls import UnusableError
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.reading.expression.traversal import additive_terms, all_nodes
from calculus_harness.rewards.reading.expression.tree import Expression
from calculus_harness.rewards.reading.latex import ReadError, readings, to_latex
from tests.rewards.hostile_texts import (
    AROUND,
    FORMS,
    LONGEST,
    PIECES,
    WRAPPERS,
    nested,
    random_nesting,
    repeated,
    strung,
    wide,
)
from tests.rewards.steps import steps

#: Seconds of processor time for any text in this process, and for what goes to a worker.
LIMIT, DEADLINE = 2.0, 0.5


def verify_certificate(text: str) -> None:
    with suppress(NoCertificateError):
        certify(text, "2x", deadline=DEADLINE)


CALLS: dict[str, Callable[[str], object]] = {
    "antiderivative": lambda text: verify_antiderivative(text, "2x", deadline=DEADLINE),
    "radical": lambda text: verify_antiderivative(
        text, r"\frac{1}{\sqrt{1-x^2}}", deadline=DEADLINE
    ),
    "definite": lambda text: verify_definite_integral(text, r"\int_0^1 2x\,dx", deadline=DEADLINE),
    "equivalent": lambda text: verify_equivalent(text, r"\sin^2 x", deadline=DEADLINE),
    "value": lambda text: verify_value(text, r"\pi", deadline=DEADLINE),
    "integer": lambda text: verify_integer(text, 42),
    "label": lambda text: verify_label(text, 1),
    "solution": lambda text: verify_solution(text, "2x", deadline=DEADLINE),
    "definite solution": lambda text: verify_solution(text, r"\int_0^1 2x\,dx", deadline=DEADLINE),
    "certificate": verify_certificate,
}


def trees(text: str) -> list[Expression]:
    """The first reading of a text, if any."""
    try:
        return [next(readings(text, symbols=("x",))).expression]
    except ReadError:
        return []


#: Calls of functions for a node, at most: measured 134 to compile.
WORK: dict[str, tuple[Callable[[Expression], object], int]] = {
    "compile": (lambda tree: compile_tape(tree, "x"), 200),
    "print": (to_latex, 60),
    "terms": (lambda tree: additive_terms(tree, "x"), 60),
}


def check_work(tree: Expression, text: str) -> None:
    nodes = len(all_nodes(tree))
    for name, (function, share) in WORK.items():
        with suppress(UnusableError):
            assert steps(partial(function, tree)) < 200 + share * nodes, (name, nodes, text)


@pytest.mark.parametrize("form", FORMS)
def test_a_nested_form_takes_linear_work(form: str) -> None:
    for around in AROUND:
        for depth in (7, 14, 28):
            text = nested(form, around, depth)
            for tree in trees(text) if len(text) < 10_000 else ():
                check_work(tree, text)


@pytest.mark.parametrize("start", range(0, 200, 20))
def test_random_nestings_take_linear_work(start: int) -> None:
    read = 0
    for seed in range(start, start + 20):
        text = random_nesting(Random(seed), 5 + seed % 30)
        for tree in trees(text) if len(text) < 10_000 else ():
            read += 1
            check_work(tree, text)
    assert read > 3


@pytest.mark.parametrize("form", FORMS)
def test_a_verdict_on_a_nested_form_takes_no_time(form: str) -> None:
    """Calls of functions for a whole verdict: the compiler's alone were 2^28."""
    text = nested(form, "@", 28)
    if len(text) < 10_000:
        for name in ("antiderivative", "equivalent", "value"):
            assert steps(lambda name=name: CALLS[name](rf"\boxed{{{text}}}")) < 400_000, name


@pytest.mark.parametrize(
    "word", ["sin", "The_answer_is", r"\(", r"\[", "$aa bb cc} ", ", ", "(x = ", r"\begin{cases}"]
)
def test_a_repeated_word_takes_linear_time(word: str) -> None:
    """Processor time, as the work is inside of `re`: 0.3 s at most instead of over 4."""
    for end in ("", "q", "}$"):
        text = repeated(word, LONGEST) + end
        for call in (CALLS["solution"], CALLS["antiderivative"]):
            start = time.process_time()
            call(text)
            assert time.process_time() - start < LIMIT


def texts(seed: int) -> str:
    """A hostile text of up to `LONGEST` characters."""
    random = Random(seed)
    style = seed % 4
    if style == 0:
        text = strung(random, LONGEST)
    elif style == 1:
        text = repeated(random.choice(PIECES), LONGEST)
    elif style == 2:
        text = random_nesting(random, random.choice((5, 10, 20, 40, 80)))
    else:
        text = wide(random, random.choice((300, 3_000, 30_000)))
    if style > 1 and random.random() < 0.5:  # a right answer, which is not refuted at once
        text = random.choice(
            (r"\boxed{x^2+@-(@)}", r"\boxed{\frac{x^2(@)}{@}}", r"\boxed{x^2+|@|-|@|}")
        ).replace("@", text)
    return random.choice(WRAPPERS).replace("@", text)[:LONGEST]


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("start", range(0, 200, 50))
def test_no_text_keeps_a_process_busy(name: str, start: int) -> None:
    for seed in range(start, start + 50):
        text = texts(seed)
        clock = time.process_time()
        result = CALLS[name](text)
        assert time.process_time() - clock < LIMIT, seed
        assert getattr(result, "status", None) is not Status.ERROR, seed
