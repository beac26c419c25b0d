r"""How good and how fast the verification of steps is: `python tests/perf/solutions/steps.py`.

For the labelled corpus (tests/rewards/verify/solution_steps) and the solutions written by hand: the
share of exactly found planted errors, false alarms among the claims of right solutions, and the
share of judged displayed claims. Speed: solutions of ten lines per second of processor time of a
core, with integrands new to the caches.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from calculus_harness.rewards import Judgement, verify_solution
from tests.rewards.verify.solution_steps.corpus import HAND, SEED, by_hand, corpus
from tests.rewards.verify.solution_steps.measure import Measured, measure

CASES = Path(__file__).resolve().parents[2] / "rewards" / "cases"

TEN_LINES = r"""Let $u = x^2 + %d$, so $du = 2x\,dx$ and $x\,dx = \frac{du}{2}$. Then
\begin{align*}
\int x \cos(x^2+%d)\,dx &= \int \cos u \cdot\frac{du}{2} \\
&= \frac12 \int \cos u\,du \\
&= \frac12 \sin u + C \\
&= \frac12 \sin(x^2+%d) + C.
\end{align*}
Check: $(\frac12 \sin(x^2+%d))' = \frac12\cos(x^2+%d)\cdot 2x = x\cos(x^2+%d)$.
The answer is $\boxed{\frac12\sin(x^2+%d) + C}$."""


def show(name: str, measured: Measured, seconds: float) -> None:
    """Print a line of numbers."""
    counted = f"{measured.found} of {measured.planted} planted errors found exactly"
    alarms = f"{measured.alarms} false alarms in {measured.claims} claims of right solutions"
    share = 100 * measured.judged / max(1, measured.displayed)
    print(f"{name}: {counted}; {alarms}; {share:.1f} % of displayed claims judged; {seconds:.1f} s")


def responses() -> None:
    """False alarms on the responses of other tests, not written for steps."""
    rows = json.loads((CASES / "responses.json").read_text("utf-8"))
    claims = unchecked = wrong = 0
    for row in rows:
        if row["label"] != "right":
            continue
        for claim in verify_solution(row["response"], row["integrand"]).claims:
            if claim.kind != "final":
                claims += 1
                unchecked += claim.judgement is Judgement.UNCHECKED
                wrong += claim.judgement is Judgement.INCORRECT
    print(
        f"responses with right answers: {claims} claims before the answer, "
        f"{unchecked} unchecked, {wrong} wrong (all of them are: first tries, wrong checks)"
    )


def speed(solutions: int) -> None:
    """Print how many solutions of ten lines are verified in a second of processor time."""
    verify_solution(TEN_LINES % ((0,) * 7), r"x\cos(x^2+0)")
    start = time.process_time()
    for number in range(1, solutions + 1):
        verify_solution(TEN_LINES % ((number,) * 7), rf"x\cos(x^2+{number})")
    rate = solutions / (time.process_time() - start)
    print(f"speed: {rate:.0f} solutions of ten lines (9 claims) in a second of processor time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=1000, help="solutions of the corpus")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--solutions", type=int, default=300, help="for the speed")
    arguments = parser.parse_args()
    start = time.process_time()
    measured = measure(islice(corpus(arguments.size, arguments.seed), arguments.size))
    show(f"corpus of {arguments.size}", measured, time.process_time() - start)
    for name in HAND:
        start = time.process_time()
        show(name, measure(by_hand(name)), time.process_time() - start)
    responses()
    speed(arguments.solutions)


if __name__ == "__main__":
    main()
