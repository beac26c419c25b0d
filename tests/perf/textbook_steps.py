r"""Steps of worked solutions that others wrote: `python tests/perf/textbook_steps.py FOLDER`.

The folder has LaTeX files of a textbook; nothing is fetched. Of every ``=`` in a display, counted
by `tests.rewards.solutions.textbook` without the reader that is measured, it is shown how many are
judged. All the solutions are taken to be right, so what is called wrong is a false alarm or a slip
of the author: `--wrong` lists them, `--unjudged` the signs that are not judged, with the reasons.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from calculus_harness.rewards import Judgement, Solution, verify_solution
from calculus_harness.rewards.errors import ProblemError
from tests.rewards.solutions.textbook import Worked, worked

#: Characters around a sign that are listed.
AROUND = 60


def judged_signs(one: Worked, solution: Solution) -> dict[int, str]:
    """What became of every sign of a solution: a judgement, ``definition``, or ``not read``."""
    found: dict[int, str] = {}
    for end, right, what in [
        *(
            (claim.end, claim.right, f"{claim.judgement}|{claim.detail}")
            for claim in solution.claims
            if claim.kind != "final"
        ),
        *((each.end, each.value, "definition|") for each in solution.definitions),
    ]:
        place = one.text.rfind("=", 0, end - len(right))
        found.setdefault(place, what)
    return {sign: found.get(sign, "not read|") for sign in one.signs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wrong", action="store_true", help="list what is called wrong")
    parser.add_argument("--unjudged", action="store_true", help="list the signs that are not")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    spent: list[float] = []
    for one in worked(arguments.folder):
        start = time.process_time()
        try:
            solution = verify_solution(one.text, one.problem)
        except ProblemError:
            counts["problems not read"] += 1
            continue
        spent.append(time.process_time() - start)
        counts["solutions"] += 1
        claims = [claim for claim in solution.claims if claim.kind != "final"]
        wrong = [claim for claim in claims if claim.judgement is Judgement.INCORRECT]
        counts["claims"] += len(claims)
        counts["wrong"] += len(wrong)
        counts["solutions with one wrong"] += bool(wrong)
        for claim in wrong if arguments.wrong else ():
            print(f"{one.source}: {claim.kind}: {claim.left}  =  {claim.right}  {claim.witness}")
        for sign, what in judged_signs(one, solution).items():
            kind, _, detail = what.partition("|")
            counts["signs"] += 1
            counts[f"signs: {kind}"] += 1
            if kind in ("not read", "unchecked"):
                reasons[f"{kind}: {re.sub(r'[0-9]+', 'N', detail)[:60]}"] += 1
                if arguments.unjudged:
                    around = one.text[max(0, sign - AROUND) : sign + AROUND]
                    print(f"{one.source}: {kind}: {detail[:50]}: {' '.join(around.split())}")
    for name, number in sorted(counts.items()):
        print(f"{name}: {number}")
    print(f"slowest: {max(spent, default=0):.2f} s; all: {sum(spent):.1f} s of processor time")
    for reason, number in reasons.most_common(25):
        print(f"{number:5} {reason}")


if __name__ == "__main__":
    main()
