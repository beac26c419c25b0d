"""Sets to train on: generated problems, without repeats and without the benchmarks' own.

Two problems are the same here if their integrands are the same up to a constant factor and the
names of symbols (`benchmarks.fingerprint`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from ...benchmarks.expressions import parse
from ...benchmarks.fingerprint import Overlap, duplicates, fingerprint, overlap
from ...benchmarks.problem import Problem
from ...benchmarks.registry import load, resolve, spread
from ...benchmarks.relatives import difficulty, relatives
from ...prompts import Prompt, Rendered
from ...rewards import ProblemError
from ...rewards.batch import averify_many
from ...rewards.latex import ReadError
from ..core.asynchronous import run_async
from ..core.errors import UserError
from ..core.requests import Completion, Request, Sampling, problem_key, request_hash
from ..models import create
from .data import as_trl

#: How often more problems are asked for, where some were left out.
ROUNDS = 8


@dataclass(frozen=True)
class TrainingSet:
    """Problems, the easiest first, and why others are not among them.

    ``taken`` came from the recipes; to these ``easier`` relatives are added, and unsolved ones left
    out. It is smaller than what was asked for where the recipes have no more.
    """

    problems: tuple[Problem, ...]
    taken: int = 0
    repeats: int = 0
    screened: int = 0
    unsolved: int = 0

    def rows(self, prompt: Prompt) -> list[dict[str, Any]]:
        """As TRL and our rewards take them, each with its difficulty and fingerprint."""
        return [
            {
                "prompt": as_trl(prompt.render(problem)),
                "id": problem_key(problem),
                "integrand": str(problem.target["integrand"]),
                "variable": str(problem.target["variable"]),
                "assumptions": dict(problem.assumptions),
                "antiderivative": str(problem.target.get("antiderivative", "")),
                "difficulty": _difficulty(problem),
                "fingerprint": _mark(problem),
                "parent": problem.pair_parent or "",
            }
            for problem in self.problems
        ]


def training_set(
    recipes: Sequence[str],
    *,
    count: int | None = None,
    seed: int = 0,
    screen: Sequence[str] = (),
    easier: int = 0,
    solver: str | None = None,
) -> TrainingSet:
    """Make a training set.

    Args:
        recipes: benchmarks to take problems from, as in ``lample_charton/bwd``.
        count: how many problems to take, spread over the recipes; for repeats and for problems of
            ``screen`` others are taken.
        seed: the seed of the recipes.
        screen: benchmarks none of whose problems may be trained on.
        easier: add so many easier relatives of each problem (`benchmarks.relatives`).
        solver: leave out problems without a reference that this model, as in ``solver/sympy``, does
            not solve; the others get its answer, which the verifier has proven, for reference.

    """
    evaluation = [problem for spec in screen for problem in load(spec, seed=seed)]
    kept, repeats, screened = _taken(recipes, count, seed, evaluation)
    taken = len(kept)
    if easier:
        kept += [kin for problem in kept for kin in relatives(problem)[:easier]]
        kept, again = _without(kept, duplicates(kept), keep_first=True)
        kept, theirs = _without(kept, overlap(kept, evaluation))
        repeats, screened = repeats + again, screened + theirs
    unsolved = 0
    if solver is not None:
        solved = run_async(_solved(kept, solver))
        unsolved, kept = len(kept) - len(solved), solved
    return TrainingSet(
        tuple(sorted(kept, key=lambda problem: (_difficulty(problem), problem_key(problem)))),
        taken,
        repeats,
        screened,
        unsolved,
    )


def _taken(
    recipes: Sequence[str], count: int | None, seed: int, evaluation: Sequence[Problem]
) -> tuple[list[Problem], int, int]:
    """The problems to begin with, and how many of those seen were repeats, or screened.

    Where some are left out, more are asked of the recipes, up to `ROUNDS` times; a larger limit
    only adds to what a recipe gives, so that the result is determined.
    """
    asked = count
    for _ in range(ROUNDS):
        shares: Sequence[int | None] = [None] * len(recipes)
        if asked is not None:
            shares = spread(asked, [_room(recipe, asked) for recipe in recipes])
        drawn = [
            load(recipe, limit=share, seed=seed)
            for recipe, share in zip(recipes, shares, strict=True)
        ]
        problems = [problem for some in drawn for problem in some]
        other = next((problem for problem in problems if problem.task != "integration"), None)
        if other is not None:
            raise UserError(
                f"{other.name} has no integrals, but problems of the task {other.task!r}"
            )
        unlike, repeats = _without(problems, duplicates(problems), keep_first=True)
        kept, screened = _without(unlike, overlap(unlike, evaluation))
        if asked is None or count is None:
            break
        if len(kept) >= count or len(problems) < asked:
            break
        asked += 2 * (count - len(kept))
    if count is not None:
        left = {problem_key(problem) for problem in kept}
        groups = [[problem for problem in some if problem_key(problem) in left] for some in drawn]
        parts = zip(groups, spread(count, [len(group) for group in groups]), strict=True)
        kept = [problem for group, share in parts for problem in group[:share]]
    return kept, repeats, screened


def _room(recipe: str, limit: int) -> int:
    """How many problems a recipe has, up to a limit."""
    subsets = resolve(recipe)
    return min(limit, sum(limit if subset.endless else subset.size() for subset in subsets))


def _without(
    problems: Sequence[Problem], found: Overlap, keep_first: bool = False
) -> tuple[list[Problem], int]:
    """The problems that match nothing, or among themselves the first of each kind."""
    if keep_first:
        places = {problem_key(problem): place for place, problem in enumerate(problems)}
        pairs = [(match.first, match.second) for match in found.matches]
        gone = {max(pair, key=places.__getitem__) for pair in pairs}
    else:
        gone = {match.first for match in found.matches}
    kept = [problem for problem in problems if problem_key(problem) not in gone]
    return kept, len(problems) - len(kept)


async def _solved(problems: Sequence[Problem], solver: str) -> list[Problem]:
    """Those with a reference, and those that the solver gives one."""
    model = create(solver)
    sampling = Sampling()
    missing = [problem for problem in problems if "antiderivative" not in problem.target]

    async def requests() -> AsyncIterator[Request]:
        for problem in missing:
            prompt = Rendered(text=str(problem.inputs["integrand"]))
            identity = request_hash(problem, prompt, sampling)
            yield Request(model.hash, problem, prompt, sampling, identity)

    said: dict[str, Completion] = {}
    try:
        async for completion in model.complete(requests()):
            said[completion.problem] = completion
    finally:
        await model.close()
    verdicts = await averify_many(
        [said[problem_key(problem)].text for problem in missing],
        [str(problem.target["integrand"]) for problem in missing],
        variable=[problem.target["variable"] for problem in missing],
        assumptions=[dict(problem.assumptions) for problem in missing],
    )
    proven = {
        problem_key(problem): str(verdict.answer).removesuffix(" + C")
        for problem, verdict in zip(missing, verdicts, strict=True)
        if verdict.correct
    }
    return [
        problem
        if "antiderivative" in problem.target
        else replace(
            problem, target=dict(problem.target) | {"antiderivative": proven[problem_key(problem)]}
        )
        for problem in problems
        if "antiderivative" in problem.target or problem_key(problem) in proven
    ]


def _difficulty(problem: Problem) -> int:
    known = problem.metadata.get("difficulty")
    if problem.perturbation == "relative" and isinstance(known, int):
        return known
    try:
        return difficulty(parse(str(problem.target["integrand"]), str(problem.target["variable"])))
    except ReadError:
        return 0


def _mark(problem: Problem) -> str:
    """A short name of the integrand up to a factor and names; empty if there is none."""
    try:
        marks = fingerprint(str(problem.target["integrand"]), str(problem.target["variable"])).marks
    except ProblemError:
        return ""
    return sha256("\n".join(sorted(marks)).encode()).hexdigest()[:16] if marks else ""
