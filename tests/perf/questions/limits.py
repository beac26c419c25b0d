"""Times of first and further verdicts on limits, beside SymPy's `limit` on the same limits.

`python tests/perf/questions/limits.py` prints processor time of the bank and 200 generated limits,
the first verdict and all further verdicts of each, and of SymPy's `limit` on every tenth limit.
"""

from __future__ import annotations

import contextlib
import time

import sympy

from calculus_harness.benchmarks import load
from calculus_harness.benchmarks.payloads import QuestionTarget
from calculus_harness.rewards import verify_limit
from calculus_harness.rewards.proof.limit_questions import limit_readings
from calculus_harness.rewards.reading.expression.sympy_bridge import to_sympy

#: Verdicts of each limit after the first.
AGAIN = 5


def _seconds(question: str, completion: str) -> float:
    started = time.process_time()
    assert verify_limit(completion, question).correct
    return time.process_time() - started


def _of_sympy(text: str) -> float:
    question = limit_readings(text)[0]
    x = sympy.Symbol(question.variable, real=True)
    assumptions = dict(question.all_assumptions)
    expression = to_sympy(question.expression, assumptions).subs(sympy.Symbol(x.name), x)
    at = question.at
    point = at * sympy.oo if isinstance(at, int) else to_sympy(at, assumptions)
    side = {1: "+", -1: "-", 0: "+" if isinstance(at, int) else "+-"}[question.side]
    started = time.process_time()
    with contextlib.suppress(ValueError, NotImplementedError):
        sympy.limit(expression, x, point, side)
    return time.process_time() - started


def main() -> None:
    """Print the figures."""
    problems = [*load("course/limits"), *load("course/limits_generated", limit=200)]
    targets = [problem.target_as(QuestionTarget) for problem in problems]
    pairs = [(target.question, rf"\boxed{{{target.answer}}}") for target in targets]
    ours = sorted(_seconds(*pair) for pair in pairs)
    again = [_seconds(*pair) for _ in range(AGAIN) for pair in pairs]
    rival = sorted(_of_sympy(question) for question, _ in pairs[::10])
    p99 = ours[int(0.99 * len(ours))]
    print(
        f"{len(pairs)} limits; median {1e3 * ours[len(ours) // 2]:.1f} ms, p99 {1e3 * p99:.0f} ms"
    )
    print(f"met again: {len(again) / sum(again):.0f} verdicts a second")
    ratio = sum(rival) / len(rival) / (sum(ours) / len(ours))
    print(f"SymPy's limit takes {ratio:.1f} times as long on {len(rival)} of them")


if __name__ == "__main__":
    main()
