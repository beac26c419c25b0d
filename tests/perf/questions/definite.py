"""Verdicts on definite integrals per second, beside SymPy's numerical integration.

python tests/perf/questions/definite.py [--benchmark definite/bank] [--every N] [--rival-every N]

Problems are judged on a core, each with the right value first ("new": the integral is computed),
then with the right value and two wrong values again. The rival compares `Integral.evalf(30)` with
the answer's value, from the same trees, and is stopped after ten seconds. The rival accepts any
number with 15 right digits.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import sympy

sys.path.insert(0, str(Path(__file__).parents[3]))

from calculus_harness.benchmarks.problem import Problem
from calculus_harness.benchmarks.registry import load
from calculus_harness.rewards import verify_definite_integral
from calculus_harness.rewards.numeric.quadrature import prepare_definite
from calculus_harness.rewards.reading.expression.sympy_bridge import to_sympy
from calculus_harness.rewards.reading.latex import read

LIMIT = 10


def ours(item: Problem, answer: str) -> str:
    integral = item.target.integral
    return verify_definite_integral(rf"\boxed{{{answer}}}", integral).status.value


def evalf(item: Problem, answer: str) -> str:
    """The result of a comparison of decimals: correct, incorrect, or a reason for no result."""
    problem = prepare_definite(item.target.integral)
    if answer == "diverges" or problem.parameters or problem.principal_value:
        return "not applicable"
    x = sympy.Symbol(problem.integrand.variable)
    limits = (
        limit * sympy.oo if isinstance(limit, int) else to_sympy(limit)
        for limit in (problem.lower, problem.upper)
    )
    signal.alarm(LIMIT)
    try:
        integral = sympy.Integral(to_sympy(problem.integrand.expression), (x, *limits)).evalf(30)
        value = to_sympy(read(answer, symbols=())[0].expression).evalf(30)
        gap = abs(integral - value)
        return "correct" if bool(gap < 1e-15 * max(1, abs(value))) else "incorrect"
    except TimeoutError:
        return "timeout"
    except Exception as error:
        return type(error).__name__
    finally:
        signal.alarm(0)


def timed(function: Callable[[], str]) -> tuple[str, float]:
    start = time.process_time()
    return function(), time.process_time() - start


def line(name: str, results: list[tuple[str, float]]) -> float:
    seconds = sorted(elapsed for _, elapsed in results)
    total = sum(seconds)
    worst = seconds[min(len(seconds) - 1, int(0.99 * len(seconds)))]
    counts = ", ".join(f"{n} {status}" for status, n in Counter(s for s, _ in results).items())
    print(f"{name}: {len(seconds) / total:.1f}/s, p99 {worst:.3f} s, longest {seconds[-1]:.3f} s")
    print(f"    {counts}")
    return total / len(seconds)


def stop(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--benchmark", default="definite/bank")
    options.add_argument("--every", type=int, default=1, help="every Nth problem")
    options.add_argument("--rival-every", type=int, default=8, help="of these, for the rival")
    chosen = options.parse_args()
    signal.signal(signal.SIGALRM, stop)
    pairs = [(problem, str(problem.target.value)) for problem in load(chosen.benchmark, limit=200)][
        :: chosen.every
    ]
    new = [timed(lambda pair=pair: ours(*pair)) for pair in pairs]
    again = [
        timed(lambda problem=problem, answer=answer: ours(problem, answer))
        for problem, value in pairs
        for answer in (value, "2" if value == "diverges" else f"2+{value}", "0.7853981")
    ]
    rivals = [timed(lambda pair=pair: evalf(*pair)) for pair in pairs[:: chosen.rival_every]]
    new_mean = line("new, right answers", new)
    line("met again, right and wrong answers", again)
    rival_mean = line("Integral.evalf, right answers", rivals)
    print(f"ratio of the means, new: {rival_mean / new_mean:.1f}")


if __name__ == "__main__":
    main()
