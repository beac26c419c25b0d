"""Solutions of differential equations from SymPy's own tests, beside `sympy.checkodesol`.

``python tests/perf/questions/equations.py [--seconds 5]`` takes the examples of the installed
SymPy (`sympy.solvers.ode.tests.test_single`), prints each equation and each solution by
`sympy.latex`, and judges the solution. `checkodesol` gets the same pair as expressions, and is
stopped after ``--seconds`` of processor time. Examples with several solutions list parts of the
general solution, so that "not general" is no fault there.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType

import sympy
from sympy.solvers.ode import checkodesol
from sympy.solvers.ode.tests import test_single

from calculus_harness.rewards import ProblemError, verify_differential_equation


class _StoppedError(Exception):
    pass


def _examples() -> Iterator[tuple[sympy.Expr, sympy.Eq]]:
    for name in dir(test_single):
        if not name.startswith("_get_examples_ode"):
            continue
        for example in getattr(test_single, name):
            solutions = example["sol"] if isinstance(example["eq"], sympy.Basic) else ()
            yield from (
                (example["eq"], solution)
                for solution in solutions
                if isinstance(solution, sympy.Eq)
            )


def _timed(call: Callable[[], str]) -> tuple[str, float]:
    start = time.process_time()
    try:
        result = call()
    except _StoppedError:
        result = "stopped"
    except Exception as error:  # the rival raises many kinds
        result = type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return result, time.process_time() - start


def _printed(equation: sympy.Expr, solution: sympy.Eq) -> tuple[str, str]:
    written = sympy.latex(equation)
    question = written if isinstance(equation, sympy.Eq) else f"{written} = 0"
    return rf"\boxed{{{sympy.latex(solution)}}}", question


def _judged(answer: str, question: str) -> str:
    try:
        verdict = verify_differential_equation(answer, question)
    except ProblemError:
        return "question not read"
    partial = "constants of integration" in verdict.evidence.detail
    return "not general" if partial else verdict.status.value


def _by_rival(equation: sympy.Expr, solution: sympy.Eq, seconds: float) -> str:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    return "correct" if checkodesol(equation, solution)[0] is True else "not shown"


def _stop(number: int, frame: FrameType | None) -> None:
    raise _StoppedError


def _line(name: str, results: list[tuple[str, float]]) -> str:
    times = sorted(seconds for _, seconds in results)
    p50, p99 = (1e3 * times[min(len(times) - 1, int(len(times) * q))] for q in (0.5, 0.99))
    counts = ", ".join(f"{n} {kind}" for kind, n in Counter(r for r, _ in results).most_common())
    return f"{name:14} {sum(times):7.1f} s, p50 {p50:7.1f} ms, p99 {p99:7.1f} ms: {counts}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    seconds = parser.parse_args().seconds
    signal.signal(signal.SIGVTALRM, _stop)
    pairs = list(_examples())
    texts = [_printed(*pair) for pair in pairs]
    ours = [_timed(lambda text=text: _judged(*text)) for text in texts]  # type: ignore[misc]
    rival = [
        _timed(lambda pair=pair: _by_rival(*pair, seconds))  # type: ignore[misc]
        for pair in pairs
    ]
    print(f"{len(pairs)} solutions of SymPy {sympy.__version__}")
    print(_line("this verifier", ours))
    print(_line("checkodesol", rival))
    ratio = sum(seconds for _, seconds in rival) / sum(seconds for _, seconds in ours)
    print(f"processor time, checkodesol / this verifier: {ratio:.1f}")


if __name__ == "__main__":
    main()
