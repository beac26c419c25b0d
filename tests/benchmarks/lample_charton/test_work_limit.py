from __future__ import annotations

import builtins
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks.lample_charton.algebra import counted_sympy
from calculus_harness.benchmarks.lample_charton.algebra.work_limit import (
    CallLimitError,
    call_limited,
    require_calls,
)

ROOT = Path(__file__).parents[3]

FUNCTIONS = '''
def recurse(depth):
    "Documented."
    return 1 + recurse(depth - 1) if depth else 0

def stubborn():
    try:
        return recurse(200)
    except Exception:  # what SymPy does
        return 0

def one():
    return 1

def abandoned():
    """Abandons generators, whose errors Python ignores when it closes them."""
    def numbers():
        try:
            yield one()
        finally:
            one()
    total = 0
    for _ in range(10):
        total += next(numbers())
    return total
'''


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """`FUNCTIONS`, compiled like SymPy in a worker."""
    monkeypatch.setattr(builtins, counted_sympy.TICK, lambda: None, raising=False)
    namespace: dict[str, Any] = {}
    exec(counted_sympy.compiled(FUNCTIONS, "functions.py"), namespace)  # ours
    return namespace


def test_the_limit_is_a_number_of_calls(functions: dict[str, Any]) -> None:
    assert functions["recurse"].__doc__ == "Documented."
    assert call_limited(51, functions["recurse"], 50) == 50
    with pytest.raises(CallLimitError):
        call_limited(50, functions["recurse"], 50)
    with pytest.raises(CallLimitError):
        call_limited(100, functions["stubborn"])
    assert functions["recurse"](500) == 500, "no limit is left in force"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_ignored_error_does_not_lift_the_limit(functions: dict[str, Any]) -> None:
    """The limit may be exceeded in a finaliser; then the next call raises."""
    abandoned = functions["abandoned"]
    assert call_limited(31, abandoned) == 10
    for limit in range(1, 30):
        with pytest.raises(CallLimitError):
            call_limited(limit, abandoned)


def test_a_limit_within_a_limit_has_its_own_count(functions: dict[str, Any]) -> None:
    recurse = functions["recurse"]

    def both() -> int:
        return int(call_limited(20, recurse, 10)) + int(recurse(5))

    assert call_limited(6, both) == 15
    with pytest.raises(CallLimitError):
        call_limited(5, both)


def test_calls_to_come(functions: dict[str, Any]) -> None:
    require_calls(10**9)  # without a limit
    call_limited(100, require_calls, 100)
    with pytest.raises(CallLimitError):
        call_limited(100, require_calls, 101)


def run(script: str) -> list[str]:
    """The lines printed by a script in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout.split("\n")[:-1]


def test_a_sympy_that_does_not_count_is_refused() -> None:
    script = """
    import sympy
    from calculus_harness.benchmarks.lample_charton.algebra import counted_sympy
    from calculus_harness.benchmarks.lample_charton.algebra.work_limit import call_limited
    for call in (counted_sympy.install, lambda: call_limited(5, sympy.sympify, "1")):
        try:
            call()
        except RuntimeError as error:
            print(error)
    """
    assert run(script) == [
        "SymPy is imported already, and would not count its calls",
        "SymPy was imported without counted_sympy.install()",
    ]


@pytest.mark.slow
def test_hopeless_integrals_are_given_up_early_and_not_others() -> None:
    """An integral given up early exceeds the limit anyway; any other integral is the same."""
    script = """
    from contextlib import nullcontext
    from operator import length_hint
    from calculus_harness.benchmarks.lample_charton.algebra import backends, counted_sympy
    from calculus_harness.benchmarks.lample_charton.algebra import work_limit
    from calculus_harness.benchmarks.lample_charton.algebra.isolation import (
        load_sympy, run_in_fork)
    counted_sympy.install()
    load_sympy()
    from sympy import Symbol, sympify
    x = Symbol("x", real=True, nonzero=True)
    early = backends.ended_early
    def tried(text, context):
        backends.ended_early = context
        lefts = work_limit._CALLS_LEFT
        def integrated():
            tried.left = lefts[-1]
            return str(backends.SympyBackend().integral(sympify(text, {"x": x})))
        try:
            outcome = work_limit.call_limited(backends.CALLS_PER_SECOND, integrated)
        except work_limit.CallLimitError:
            outcome = "limit"
        return [outcome, length_hint(tried.left)]
    for text in ("((x + 2)**3 + cos(log(x)))*sinh(x)", "x**3*(x*asinh(x))**(3/2)",
                 "x - (4 - x**2)*atan(x) - 3"):
        (with_, left), (without, none) = (run_in_fork(tried, text, context)
                                          for context in (early, nullcontext))
        print(with_ == without, with_ == "limit", left > 500_000, none > 500_000)
    """
    assert run(script) == [
        "True True True False",
        "True True True False",
        "True False True True",
    ]
