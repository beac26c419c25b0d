"""Training sets: generated problems without repeats and without problems of benchmarks.

Two problems are the same if their integrands (and limits) agree up to a constant factor and the
names of symbols (`benchmarks.fingerprint`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from ...benchmarks.algebra.formulas import parse
from ...benchmarks.easier_variants import difficulty, easier_variants
from ...benchmarks.fingerprint import Overlap, duplicates, fingerprint_of, overlap
from ...benchmarks.payloads import DefiniteTarget, IntegrationTarget
from ...benchmarks.problem import Problem
from ...benchmarks.registry import load, resolve
from ...benchmarks.subset import spread
from ...prompts import Prompt, Rendered
from ...prompts import load as load_prompt
from ...rewards import ProblemError
from ...rewards.numeric.quadrature import prepare_definite
from ...rewards.reading.latex import ReadError
from ..core.asynchronous import run_async
from ..core.errors import UserError
from ..core.policy import Policy
from ..core.requests import Completion, Request, Sampling, problem_key, request_hash
from ..models import create
from ..run.scoring.grading import grade
from .rows import trl_prompt

#: The possible tasks of a training set, and the templates of their prompts.
PROMPTS = {"integration": "direct", "definite_integral": "definite"}
#: The largest number of rounds that generate replacements for removed problems.
MAX_ROUNDS = 8


@dataclass(frozen=True)
class TrainingSet:
    """Problems, the easiest first, and the numbers of removed problems.

    Attributes:
        problems: The training set.
        taken: The number of problems from the recipes, before easier variants; less than the
            requested count if the recipes have no more.
        repeats: The number of removed repetitions.
        screened: The number of removed problems of benchmarks.
        unsolved: The number of removed problems without a reference.

    """

    problems: tuple[Problem, ...]
    taken: int = 0
    repeats: int = 0
    screened: int = 0
    unsolved: int = 0

    def rows(self, *prompts: Prompt) -> list[dict[str, Any]]:
        """Return rows for TRL and the rewards, with difficulty and fingerprint.

        Args:
            prompts: Templates for the tasks of the problems; ``direct`` and ``definite`` by
                default.

        Raises:
            UserError: There is no problem of a prompt's task.

        """
        named = {prompt.task: prompt for prompt in prompts}
        unused = named.keys() - {problem.task for problem in self.problems}
        if unused and self.problems:
            raise UserError(f"there are no problems of the task {min(unused)!r} for its prompt")
        templates = {task: named.get(task) or load_prompt(name) for task, name in PROMPTS.items()}
        return [
            {
                "prompt": trl_prompt(templates[problem.task].render(problem)),
                "id": problem_key(problem),
                "task": problem.task,
                **_columns(problem),
                "difficulty": _difficulty(problem),
                "fingerprint": _fingerprint_hash(problem),
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
        recipes: Benchmarks to take problems from, as in ``lample_charton/bwd``.
        count: The number of problems, spread over the recipes; repetitions and problems of
            ``screen`` are replaced. All by default.
        seed: The seed of the recipes.
        screen: Benchmarks with problems to leave out.
        easier: The number of easier variants of each problem to add (`benchmarks.easier_variants`).
        solver: A model, as in ``solver/sympy``. Problems without a reference get the model's answer
            if the verifier proves it, else they are left out.

    Raises:
        UserError: A recipe has problems other than integrals, or easier variants of definite
            integrals are requested.

    """
    evaluation = [problem for spec in screen for problem in load(spec, seed=seed)]
    problems, repeats, screened = _take(recipes, count, seed, evaluation)
    count_taken = len(problems)
    if easier:
        if any(problem.task != "integration" for problem in problems):
            raise UserError("there are easier variants of indefinite integrals only")
        problems += [
            variant for problem in problems for variant in easier_variants(problem)[:easier]
        ]
        problems, more_repeats = _without(problems, duplicates(problems), keep_first=True)
        problems, more_screened = _without(problems, overlap(problems, evaluation))
        repeats, screened = repeats + more_repeats, screened + more_screened
    unsolved = 0
    if solver is not None:
        solved = run_async(_solved(problems, solver))
        unsolved, problems = len(problems) - len(solved), solved
    return TrainingSet(
        tuple(sorted(problems, key=lambda problem: (_difficulty(problem), problem_key(problem)))),
        count_taken,
        repeats,
        screened,
        unsolved,
    )


def _take(
    recipes: Sequence[str], count: int | None, seed: int, evaluation: Sequence[Problem]
) -> tuple[list[Problem], int, int]:
    """Return problems of the recipes, and the numbers of repetitions and of screened problems.

    Removed problems are replaced by further problems of the recipes, in up to `MAX_ROUNDS` rounds.
    A larger limit only adds problems to a recipe, so the result is deterministic.
    """
    # Duplicates and benchmark problems are only known after a draw. Each round therefore draws
    # twice the missing number in addition.
    limit = count
    for _ in range(MAX_ROUNDS):
        shares: Sequence[int | None] = [None] * len(recipes)
        if limit is not None:
            shares = spread(limit, [_available(recipe, limit) for recipe in recipes])
        drawn = [
            load(recipe, limit=share, seed=seed)
            for recipe, share in zip(recipes, shares, strict=True)
        ]
        problems = [problem for group in drawn for problem in group]
        unsupported = next((problem for problem in problems if problem.task not in PROMPTS), None)
        if unsupported is not None:
            raise UserError(
                f"{unsupported.name} has no integrals, but problems of the task "
                f"{unsupported.task!r}"
            )
        distinct, repeats = _without(problems, duplicates(problems), keep_first=True)
        unseen, screened = _without(distinct, overlap(distinct, evaluation))
        if limit is None or count is None:
            break
        if len(unseen) >= count or len(problems) < limit:
            break
        limit += 2 * (count - len(unseen))
    # The recipes' shares of the remaining problems, which may differ from the shares of the drawn
    # problems.
    if count is not None:
        remaining_keys = {problem_key(problem) for problem in unseen}
        groups = [
            [problem for problem in group if problem_key(problem) in remaining_keys]
            for group in drawn
        ]
        groups_with_shares = zip(
            groups, spread(count, [len(group) for group in groups]), strict=True
        )
        unseen = [problem for group, share in groups_with_shares for problem in group[:share]]
    return unseen, repeats, screened


def _available(recipe: str, limit: int) -> int:
    """Return how many problems a recipe has, up to a limit."""
    subsets = resolve(recipe)
    return min(limit, sum(limit if subset.endless else subset.size() for subset in subsets))


def _without(
    problems: Sequence[Problem], overlap_: Overlap, keep_first: bool = False
) -> tuple[list[Problem], int]:
    """Return the problems without a match, or the first of each match, and the number removed."""
    if keep_first:
        positions = {problem_key(problem): index for index, problem in enumerate(problems)}
        pairs = [(match.first, match.second) for match in overlap_.matches]
        gone = {max(pair, key=positions.__getitem__) for pair in pairs}
    else:
        gone = {match.first for match in overlap_.matches}
    remaining = [problem for problem in problems if problem_key(problem) not in gone]
    return remaining, len(problems) - len(remaining)


async def _solved(problems: Sequence[Problem], solver: str) -> list[Problem]:
    """Return the problems with a reference, original or a proven answer of the solver."""
    model = create(solver)
    sampling = Sampling()
    # Only problems without a reference are asked.
    missing = [problem for problem in problems if problem.target.reference is None]

    async def requests() -> AsyncIterator[Request]:
        for problem in missing:
            prompt = Rendered(text=str(problem.target.judged))
            identity = request_hash(problem, prompt, sampling)
            yield Request(model.hash, problem, prompt, sampling, identity)

    answers: dict[str, Completion] = {}
    try:
        async for completion in model.complete(requests()):
            answers[completion.problem] = completion
    finally:
        await model.close()
    # A wrong answer of the solver would become a wrong reference: only proven answers are taken.
    graded = [(problem, answers[problem_key(problem)]) for problem in missing]
    proven = {
        problem_key(problem): str(verdict.answer).removesuffix(" + C")
        for problem, verdict in zip(missing, await grade(graded, Policy(), {}), strict=True)
        if verdict.correct
    }
    return [
        replace(
            problem,
            target=problem.target.with_reference(proven[problem_key(problem)]),
        )
        if problem_key(problem) in proven
        else problem
        for problem in problems
        if problem.target.reference is not None or problem_key(problem) in proven
    ]


def _columns(problem: Problem) -> dict[str, Any]:
    """Return the columns that the rewards read from a problem, and the reference."""
    target, assumptions = problem.target, {"assumptions": dict(problem.assumptions)}
    if isinstance(target, DefiniteTarget):
        return {"problem": target.integral, **assumptions, "value": target.value or ""}
    integral = problem.target_as(IntegrationTarget)
    return {
        "integrand": integral.integrand,
        "variable": integral.variable,
        **assumptions,
        "antiderivative": integral.antiderivative or "",
    }


def _difficulty(problem: Problem) -> int:
    stated = problem.metadata.get("difficulty")
    if problem.perturbation == "relative" and isinstance(stated, int):
        return stated
    try:
        if isinstance(problem.target, DefiniteTarget):
            return difficulty(prepare_definite(problem.target.integral).integrand.expression)
        target = problem.target_as(IntegrationTarget)
        return difficulty(parse(target.integrand, target.variable))
    except (ReadError, ProblemError):
        return 0


def _fingerprint_hash(problem: Problem) -> str:
    """Return a hash of the integrand up to a factor and names; empty without a fingerprint."""
    try:
        print_ = fingerprint_of(problem)
    except ProblemError:
        return ""
    marks = [*sorted(print_.marks), *print_.range]
    return sha256("\n".join(marks).encode()).hexdigest()[:16] if print_.marks else ""
