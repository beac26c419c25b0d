r"""Right solutions in the styles of textbooks and models, in our words: `solution_styles.txt`.

No claim is wrong, nearly all claims are judged, and a slip planted in a claim is found.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from calculus_harness.rewards import Judgement, Solution, verify_solution
from calculus_harness.rewards.errors import ProblemError

from .textbook import slip_in

TEXT = (Path(__file__).parents[2] / "cases" / "solution_styles.txt").read_text("utf-8")


def solutions() -> list[tuple[str, str, Solution]]:
    """The problems with their solutions; a double integral is no problem here."""
    judged = []
    for section in TEXT.split("=== ")[1:]:
        problem, _, text = section.partition("\n")
        try:
            judged.append((problem, text, verify_solution(text, problem)))
        except ProblemError:
            assert problem.count(r"\int") > 1
    return judged


def test_nothing_is_called_wrong_and_nearly_all_is_judged() -> None:
    claims = [claim for _, _, solution in solutions() for claim in solution.claims]
    claims = [claim for claim in claims if claim.kind != "final"]
    assert [claim for claim in claims if claim.judgement is Judgement.INCORRECT] == []
    judged = sum(claim.judgement is Judgement.CORRECT for claim in claims)
    assert judged > 0.97 * len(claims)


def test_planted_slips_are_found() -> None:
    """A slip per solution; a third of the missed slips has no effect, as arctan 0 for - 0."""
    random, planted, named = Random(3), 0, 0
    for problem, text, solution in solutions():
        right = [c for c in solution.claims if c.kind != "final" and c.displayed]
        for claim in random.sample(right, min(1, len(right))):
            slip = slip_in(text, claim.end - len(claim.right), claim.end, random)
            if slip is None:
                continue
            wrong = verify_solution(slip[0], problem)
            failed = wrong.claims[wrong.first_wrong] if wrong.first_wrong is not None else None
            planted += 1
            named += failed is not None and failed.start <= slip[1] < failed.end
    assert planted > 100
    assert named > 0.9 * planted
