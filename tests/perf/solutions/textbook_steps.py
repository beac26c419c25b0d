r"""Steps of textbooks' worked solutions: `python tests/perf/solutions/textbook_steps.py FOLDER`.

The folder has LaTeX files of a textbook; nothing is fetched. The output has the share of judged
``=`` among all ``=`` in displays, counted by `tests.rewards.verify.solution_steps.textbook` without
the measured reader. All solutions are taken as right: a claim called wrong is a false alarm or a
slip of the author. `--wrong` lists such claims, `--unjudged` the unjudged signs with the reasons.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from calculus_harness.rewards import Judgement, Solution, verify_solution
from calculus_harness.rewards.errors import ProblemError
from tests.rewards.verify.solution_steps.textbook import Worked, slip_in, worked

#: Characters around a sign that are listed.
AROUND = 60


def judged_signs(work: Worked, solution: Solution) -> dict[int, str]:
    """The fate of every sign of a solution: a judgement, ``definition``, or ``not read``."""
    signs: dict[int, str] = {}
    for end, right, what in [
        *(
            (claim.end, claim.right, f"{claim.judgement}|{claim.detail}")
            for claim in solution.claims
            if claim.kind != "final"
        ),
        *((definition.end, definition.value, "definition|") for definition in solution.definitions),
    ]:
        at = work.text.rfind("=", 0, end - len(right))
        signs.setdefault(at, what)
    return {sign: signs.get(sign, "not read|") for sign in work.signs}


_LINK_END = re.compile(
    r"=|\\\\|\\(?:end|quad|qquad|text|intertext|Rightarrow|implies|approx)|&|\\\]|\$\$"
)


def planted(work: Worked, sign: int, random: Random) -> tuple[Worked, int] | None:
    """A solution with a slip behind a sign, and the slip's place; None without room for a slip."""
    end = _LINK_END.search(work.text, sign + 1)
    slip = slip_in(work.text, sign + 1, end.start() if end else len(work.text), random)
    return None if slip is None else (replace(work, text=slip[0]), slip[1])


def plant(folder: Path, seed: int) -> None:
    """Plant a slip in a judged sign and in any sign of every solution, and look for the slip.

    A slip has no effect where both sides of the claim are still equal (a constant of integration, a
    zero term): such slips are counted apart and listed for reading. Solutions with a wrong claim
    before the slip are left out.
    """
    random = Random(seed)
    counts: Counter[str] = Counter()
    for work in worked(folder):
        try:
            right = verify_solution(work.text, work.problem)
        except ProblemError:
            continue
        # A claim that is called wrong without a slip would count as a found slip.
        if right.first_wrong is not None and right.claims[right.first_wrong].kind != "final":
            continue
        signs = judged_signs(work, right)
        for sign in random.sample(list(work.signs), min(len(work.signs), 3)):
            slip = planted(work, sign, random)
            if slip is None:
                continue
            judged = signs[sign].startswith("correct")
            solution = verify_solution(slip[0].text, work.problem)
            wrong = solution.first_wrong
            claim = solution.claims[wrong] if wrong is not None else None
            is_found = claim is not None and claim.start <= slip[1] < claim.end
            counts["planted"] += 1
            counts["found"] += is_found
            counts["planted in a judged sign"] += judged
            counts["found in a judged sign"] += judged and is_found
            # A slip may change nothing, as in a constant of integration: the claim is then still
            # judged right.
            own = judged_signs(slip[0], solution)[sign]
            equal = not is_found and own.startswith("correct")
            counts["no effect"] += equal
            counts["no effect in a judged sign"] += judged and equal
            if not is_found:
                around = " ".join(slip[0].text[sign : slip[1] + AROUND].split())
                what = "no effect" if equal else own
                print(
                    f"{work.source}: {'judged, ' * judged}{what}: {around}: {claim and claim.left}"
                )
    for name, number in counts.items():
        print(f"{name}: {number}")


_FORMULA = re.compile(
    r"\\\[.*?\\\]|\\\(.*?\\\)|\$\$.*?\$\$|\$[^$]+\$"
    r"|\\begin\{(align|alignat|equation|gather|multline|eqnarray)(\*?)\}.*?\\end\{\1\2\}",
    re.DOTALL,
)


def draw_signs(folders: list[Path], seed: int, number: int) -> None:
    """Draw signs outside claims: the positions, and the text around."""
    rows = []
    for work in (path for folder in folders for path in worked(folder)):
        try:
            solution = verify_solution(work.text, work.problem)
        except ProblemError:
            continue
        # Signs of claims and of definitions, found from the ends of their right sides.
        claims = {
            work.text.rfind("=", 0, claim.end - len(claim.right)) for claim in solution.claims
        }
        defined = {
            work.text.rfind("=", 0, path.end - len(path.value)) for path in solution.definitions
        }
        for formula in _FORMULA.finditer(work.text):
            for sign in re.finditer(r"(?<!\\)=", formula[0]):
                at = formula.start() + sign.start()
                if at not in claims:
                    label = "definition" if at in defined else "none"
                    front, behind = work.text[max(0, at - 2 * AROUND) : at], work.text[at + 1 :]
                    around = f"{front} <=> {behind[:AROUND]}"
                    rows.append((work.source, at, label, " ".join(around.split())))
    Random(seed).shuffle(rows)
    print(f"{len(rows)} signs make no claim")
    for source, at, label, around in rows[:number]:
        print(f"{source}\t{at}\t{label}\t{around}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--plant", type=int, metavar="SEED", help="plant slips, and look for them")
    parser.add_argument("--places", type=int, metavar="SEED", help="draw 100 that claim nothing")
    parser.add_argument("--wrong", action="store_true", help="list what is called wrong")
    parser.add_argument("--unjudged", action="store_true", help="list the signs that are not")
    arguments = parser.parse_args()
    if arguments.plant is not None:
        plant(arguments.folder[0], arguments.plant)
        return
    if arguments.places is not None:
        draw_signs(arguments.folder, arguments.places, 100)
        return
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    spent: list[float] = []
    for work in worked(arguments.folder[0]):
        start = time.process_time()
        try:
            solution = verify_solution(work.text, work.problem)
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
            print(f"{work.source}: {claim.kind}: {claim.left}  =  {claim.right}  {claim.witness}")
        for sign, what in judged_signs(work, solution).items():
            state, _, detail = what.partition("|")
            counts["signs"] += 1
            counts[f"signs: {state}"] += 1
            if state in ("not read", "unchecked"):
                reasons[f"{state}: {re.sub(r'[0-9]+', 'N', detail)[:60]}"] += 1
                if arguments.unjudged:
                    around = work.text[max(0, sign - AROUND) : sign + AROUND]
                    print(f"{work.source}: {state}: {detail[:50]}: {' '.join(around.split())}")
    for name, number in sorted(counts.items()):
        print(f"{name}: {number}")
    print(f"slowest: {max(spent, default=0):.2f} s; all: {sum(spent):.1f} s of processor time")
    for reason, number in reasons.most_common(25):
        print(f"{number:5} {reason}")


if __name__ == "__main__":
    main()
