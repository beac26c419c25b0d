"""References of `bee` accepted by AntiderivBench's evaluator, with the times.

python tests/perf/published_references.py                      # all of five subsets: hours
python tests/perf/published_references.py --every 3 lin_comb   # the first variation of each
"""

from __future__ import annotations

import argparse
from collections import Counter

from calculus_harness.benchmarks import Problem, load
from calculus_harness.rewards import Verdict, verify_many

SUBSETS = ("qualifier", "competition", "lin_comb", "subst_poly", "subst_hard")
#: Problems of one batch, after which a line is printed for each that is not accepted.
BATCH = 24


def verdicts(problems: list[Problem], deadline: float | None) -> list[Verdict]:
    return verify_many(
        [problem.target.antiderivative for problem in problems],
        [problem.target.integrand for problem in problems],
        variable=[problem.target.variable for problem in problems],
        method="published",
        deadline=deadline,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("subsets", nargs="*", default=SUBSETS, choices=SUBSETS)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each Nth problem")
    parser.add_argument("--deadline", type=float, help="seconds of processor time for each")
    arguments = parser.parse_args()
    rows = [
        "| subset | references | accepted | of these at no point | timeout | rejected | slowest |"
    ]
    rows.append("|---|---:|---:|---:|---:|---:|---:|")
    for name in arguments.subsets:
        problems = load(f"bee/{name}")[:: arguments.every]
        count: Counter[str] = Counter()
        slowest = 0.0
        for start in range(0, len(problems), BATCH):
            batch = problems[start : start + BATCH]
            for problem, verdict in zip(batch, verdicts(batch, arguments.deadline), strict=True):
                count[verdict.status] += 1
                count["vacuous"] += "nothing_evaluated" in verdict.evidence.flags
                if verdict.correct:
                    slowest = max(slowest, verdict.evidence.seconds)
                else:
                    print(f"{problem.id}: {verdict.status}: {verdict.evidence.detail}", flush=True)
        rows.append(
            f"| `{name}` | {len(problems)} | {count['correct']} | {count['vacuous']} "
            f"| {count['timeout']} | {count['incorrect']} | {slowest:.1f} s |"
        )
    print("\n".join(rows))


if __name__ == "__main__":
    main()
