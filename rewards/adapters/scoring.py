"""Rewards for completions, computed in the same way for all trainers.

A reward is the weighted sum of components, each between 0 and 1 (see
`rewards.adapters.components`). With ``gate``, the default, components other than correctness count
for right answers only, so that a wrong answer has no reward.

A reward of None means "no opinion" to trainers. A reward is None only if the completion is not the
cause. There are three cases. The row of the data set is bad (the integrand cannot be read), or no
worker could be started, or the wall clock ended the judgement twice. The last case happens on an
overloaded machine (`rewards.workers.dispatcher`). Everything that a completion can cause, such as
endless work, is scored by a number. With "no opinion", a bad answer would get an advantage of zero
instead of a negative advantage.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import msgspec

from ..arguments import keyword_options
from ..errors import ProblemError
from ..questions import NAMES, QUESTIONS, Question
from ..records import check_fields, check_types
from ..verdict import Evidence, Status, Verdict
from ..workers.errors import PoolError
from ..workers.pool import DEFAULT_DEADLINE, DEFAULT_MEMORY_MB
from ..workers.verdicts import WorkItem, amap_verdicts, has_no_opinion, map_verdicts
from .components import COMPONENTS, GradedCompletion
from .components.format import THINK_TAGS
from .rows import warn_once

log = logging.getLogger(__name__)

#: Statuses of a score in addition to `rewards.Status`: the three with the meaning "no opinion".
BAD_PROBLEM, FAULT, CUT_OFF = "bad_problem", "fault", "cut_off"
STATUSES = (*(status.value for status in Status), BAD_PROBLEM, FAULT, CUT_OFF)
#: The reasons of "no opinion", for errors in trainers without this value.
NO_OPINION = {
    BAD_PROBLEM: "a bad problem",
    FAULT: "no workers to score with; the log says why",
    CUT_OFF: "the machine has no time to verify it",
}


class NoOpinionError(RuntimeError):
    """A reward is "no opinion", but the trainer accepts only numbers."""


#: The tasks of a rubric.
TASKS: Mapping[str, Question] = QUESTIONS
#: The task of a rubric for data sets in which each row names its own.
MIXED = "mixed"
#: The tasks of rows, by the names here and in benchmarks (`Problem.task`).
ROW_TASKS: Mapping[str, str] = NAMES
# Options of verifiers that a rubric has fields for, or that belong to a rollout.
_OURS = {"strict", "stop", "deadline", "truncated", "variable", "assumptions", "undecided_reward"}
# Ball arithmetic cannot be exploited; the other methods are for evaluation only.
_REFUSED = {"method"}


@dataclass(frozen=True)
class Rubric:
    """The rules of a reward. A rubric is immutable and can be pickled. Bad fields raise
    `ValueError` or `TypeError`.

    Args:
        task: a name in `TASKS`, or ``mixed`` if each row has its own task (`Rollout.task`).
        components: names of `rewards.adapters.components`.
        weights: the weight of each component. The default is 1 for correctness and 0.1 for others.
        gate: whether a wrong answer gets no reward from the components beside correctness.
        strict: whether a box is required. If so, text without a box does not count as an answer.
        stop: the prompt's stop strings. Text after the first stop string is ignored.
        length: two lengths in tokens for the component ``length``. Credit is full up to the first
            length, and zero from the second length on.
        think_tags: the strings that open and close a thought.
        must_think: whether the component ``format`` requires a thought.
        min_coverage: the smallest coverage of a correct answer. An answer with a smaller coverage
            counts as incorrect (see `rewards.Evidence.coverage`).
        options: options of the task's verifier, such as ``strict_domain`` and
            ``relative_tolerance``.
        deadline: seconds of processor time for one rollout. After this time, the worker process is
            stopped.
        workers: number of worker processes; by default one for each core.
        memory_mb: megabytes of memory that a worker may take in addition to its code.

    Example:
        >>> Rubric(components=("correctness", "format")).weighted
        {'correctness': 1.0, 'format': 0.1}

    """

    task: str = "antiderivative"
    components: tuple[str, ...] = ("correctness",)
    weights: tuple[float, ...] | None = None
    gate: bool = True
    strict: bool = True
    stop: tuple[str, ...] = ()
    length: tuple[int, int] | None = None
    think_tags: tuple[str, str] = THINK_TAGS
    must_think: bool = False
    min_coverage: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)
    deadline: Annotated[float, msgspec.Meta(gt=0)] = DEFAULT_DEADLINE
    workers: Annotated[int, msgspec.Meta(ge=1)] | None = None
    memory_mb: Annotated[int, msgspec.Meta(ge=1)] = DEFAULT_MEMORY_MB

    def __post_init__(self) -> None:
        # A wrong value would make every verdict an error, and every reward 0 without a word.
        check_fields(self)
        # Settings come from YAML and JSON, where tuples are lists.
        for name in ("components", "weights", "stop", "length", "think_tags"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, tuple(value))
        if self.task not in (*TASKS, MIXED):
            raise ValueError(f"no task {self.task!r}; there are {', '.join(TASKS)}, {MIXED}")
        unknown = [name for name in self.components if name not in COMPONENTS]
        if unknown or not self.components or len(set(self.components)) < len(self.components):
            raise ValueError(f"components must be some of {', '.join(COMPONENTS)}")
        if self.weights is not None and len(self.weights) != len(self.components):
            raise ValueError(f"{len(self.components)} components but {len(self.weights)} weights")
        if not all(map(math.isfinite, self.weights or ())):
            raise ValueError(f"weights must be finite, not {self.weights}")
        if "steps" in self.components and self.task != "steps":
            raise ValueError(f"the component steps is for the task steps, not {self.task}")
        if ("length" in self.components) != (self.length is not None):
            raise ValueError("the component length and the lengths for it go together")
        if self.length is not None and not 0 <= self.length[0] < self.length[1]:
            raise ValueError(f"length must rise from full credit to none, not {self.length}")
        object.__setattr__(self, "options", dict(self.options))
        option_types = _options_of(self.task)
        wrong = self.options.keys() - option_types.keys()
        if wrong:
            raise TypeError(
                f"no such option: {', '.join(sorted(wrong))}; {self.task} knows "
                f"{', '.join(sorted(option_types)) or 'none'}"
            )
        check_types(self.options, option_types)

    @cached_property
    def weighted(self) -> dict[str, float]:
        """Map each component's name to its weight."""
        weights = self.weights or [COMPONENTS[name].weight for name in self.components]
        return dict(zip(self.components, weights, strict=True))

    @property
    def highest(self) -> float:
        """The largest reward that a completion can get."""
        return sum(weight for weight in self.weighted.values() if weight > 0)


def _options_of(task: str) -> Mapping[str, Any]:
    if task == MIXED:
        return {}
    types = keyword_options(TASKS[task].verify)
    return {name: types[name] for name in types.keys() - _OURS - _REFUSED}


@dataclass(frozen=True, slots=True)
class Rollout:
    r"""A completion and its target.

    Attributes:
        text: the completion.
        target: the integrand, value, expression, label or whole number.
        variable: the variable of integration, as for `rewards.verify_antiderivative`.
        assumptions: the assumptions about parameters, as for `rewards.verify_antiderivative`. Empty
            entries are dropped. Data sets contain empty entries if the rows have different symbols.
        truncated: whether the token limit cut the completion off.
        tokens: the length of the completion in tokens.
        thinking: whether the prompt has already opened a thought.
        task: the row's own task, a name in `ROW_TASKS`, for a rubric with the task ``mixed``.

    Example:
        >>> Rollout(r"$\boxed{x^2}$", "2x").target
        '2x'

    """

    text: str
    target: Any
    variable: Any = None
    assumptions: Any = None
    truncated: bool = False
    tokens: int | None = None
    thinking: bool = False
    task: Any = None


@dataclass(frozen=True, slots=True)
class Score:
    """The reward of a rollout, with its reasons.

    Attributes:
        reward: the reward. None means no opinion (``bad_problem``, ``fault`` or ``cut_off``).
        status: an element of `STATUSES`.
        verdict: the verdict.
        components: the value of each component, before weighting.

    >>> Score(1.0, "correct", Verdict(Status.CORRECT, 1.0)).seconds
    0.0

    """

    reward: float | None
    status: str
    verdict: Verdict
    components: Mapping[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        return self.verdict.evidence.seconds


def score(rollouts: Sequence[Rollout], rubric: Rubric) -> list[Score]:
    r"""Score rollouts in order.

    No rollout raises an exception. A bad `Rubric` cannot be made, so the rubric needs no check.

    Args:
        rollouts: completions with targets.
        rubric: the rubric.

    Returns:
        A score for each rollout.

    Example:
        >>> pairs = ((r"$\boxed{x^2}$", "2x"), ("x^2", "2x"), ("x", "no formula"))
        >>> [each.reward for each in score([Rollout(*pair) for pair in pairs], Rubric(workers=1))]
        [1.0, 0.0, None]

    """
    batches = _batches(rollouts, rubric)
    settings = (rubric.workers, rubric.deadline, rubric.memory_mb)
    verdicts = dict(batches.bad)
    try:
        for worker, sent in batches.sent.items():
            judged = map_verdicts(worker, list(sent.values()), *settings)
            verdicts |= dict(zip(sent, judged, strict=True))
    except (PoolError, OSError) as error:
        return _faults(rollouts, error)
    return [_score(rollout, rubric, verdicts[at]) for at, rollout in enumerate(rollouts)]


async def ascore(rollouts: Sequence[Rollout], rubric: Rubric) -> list[Score]:
    r"""Score rollouts in order, as `score` does, without blocking the event loop of asyncio.

    Args:
        rollouts: completions with targets.
        rubric: the rubric.

    Returns:
        A score for each rollout.

    >>> import asyncio
    >>> rollouts = [Rollout(r"$\boxed{x^2}$", "2x")]
    >>> [each.reward for each in asyncio.run(ascore(rollouts, Rubric(workers=1)))]
    [1.0]

    """
    batches = _batches(rollouts, rubric)
    settings = (rubric.workers, rubric.deadline, rubric.memory_mb)
    verdicts = dict(batches.bad)
    try:
        for worker, sent in batches.sent.items():
            judged = await amap_verdicts(worker, list(sent.values()), *settings)
            verdicts |= dict(zip(sent, judged, strict=True))
    except (PoolError, OSError) as error:
        return _faults(rollouts, error)
    scores = []
    for at, rollout in enumerate(rollouts):
        scores.append(_score(rollout, rubric, verdicts[at]))
        if at % 64 == 63:  # some milliseconds
            await asyncio.sleep(0)
    return scores


def numbers(scores: Sequence[Score], groups: Sequence[str]) -> list[float]:
    """Replace "no opinion" by numbers, for trainers that accept only numbers as rewards.

    The completions of one problem form a group. If the problem's row of data is bad, all rewards of
    the group are 0. If the verification of a completion exceeds the limit of wall-clock time, the
    reward is the mean of the group's other rewards. Both cases are logged. In both, the completion
    has no advantage within its group.

    Args:
        scores: the scores.
        groups: the group of each score, such as the problem.

    Returns:
        A number for each score.

    Raises:
        NoOpinionError: no worker can be started, or a mean is needed but the group has no other
            reward.

    Example:
        >>> late = Score(None, CUT_OFF, Verdict(Status.TIMEOUT, 0.0))
        >>> right = Score(1.0, "correct", Verdict(Status.CORRECT, 1.0))
        >>> numbers([right, late], ["2x", "2x"])
        [1.0, 1.0]

    """
    if any(scored.status == FAULT for scored in scores):
        raise NoOpinionError(NO_OPINION[FAULT])
    rewards_of: dict[str, list[float]] = {}
    for scored, group in zip(scores, groups, strict=True):
        if scored.status == BAD_PROBLEM:
            detail = scored.verdict.evidence.detail.replace("%", "%%")
            warn_once(log, f"bad row %.200r scores 0: {detail}", group)
        elif scored.reward is not None:
            rewards_of.setdefault(group, []).append(scored.reward)
    return [
        _mean_of_group(scored, group, rewards_of.get(group, ()))
        if scored.status == CUT_OFF
        else scored.reward or 0.0
        for scored, group in zip(scores, groups, strict=True)
    ]


def _mean_of_group(score: Score, group: str, rewards: Sequence[float]) -> float:
    detail = score.verdict.evidence.detail
    if not rewards:
        raise NoOpinionError(f"no verdict on a completion for {group:.200}, alone: {detail}")
    mean = sum(rewards) / len(rewards)
    log.warning("no verdict for %.200r, which gets its group's mean %g: %s", group, mean, detail)
    return mean


def rates(scores: Sequence[Score]) -> dict[str, float]:
    """Map each of `STATUSES` to its share of the scores. A status may have the share 0."""
    counts = Counter(scored.status for scored in scores)
    return {status: counts[status] / len(scores) if scores else 0.0 for status in STATUSES}


def telemetry(score: Score, rubric: Rubric, *, truncated: bool = False) -> dict[str, float]:
    """Numbers about a completion, for a trainer's logs. The names are the same for all completions.

    The names are ``is_STATUS`` for each status in `STATUSES`, the names of the rubric's components,
    ``seconds`` and ``truncated``.
    """
    statuses = {f"is_{status}": float(score.status == status) for status in STATUSES}
    components = {name: score.components.get(name, 0.0) for name in rubric.components}
    return statuses | components | {"seconds": score.seconds, "truncated": float(truncated)}


@dataclass(frozen=True, slots=True)
class _Batches:
    """The rollouts to judge, and the verdicts on rows that cannot be judged.

    ``sent`` maps each worker task to its items, by the rollout's position. An item has the
    arguments of the task. ``bad`` maps the rollout's position to the verdict on a bad row.
    """

    sent: dict[str, dict[int, WorkItem]]
    bad: dict[int, Verdict]


def _batches(rollouts: Sequence[Rollout], rubric: Rubric) -> _Batches:
    batches = _Batches({}, {})
    for position, rollout in enumerate(rollouts):
        try:
            task = task_of(rollout, rubric)
            options = _rollout_options(rollout, rubric, task)
        except ProblemError as error:
            evidence = Evidence(detail=str(error), flags=("problem_error",))
            batches.bad[position] = Verdict(Status.ERROR, 0.0, evidence=evidence)
            continue
        item = (_with_opened_thought(rollout, rubric), rollout.target, options)
        batches.sent.setdefault(TASKS[task].worker_task, {})[position] = item
    return batches


def task_of(rollout: Rollout, rubric: Rubric) -> str:
    """The task of a rollout. If the task is unknown, `ProblemError` is raised."""
    if rubric.task != MIXED:
        return rubric.task
    task = ROW_TASKS.get(rollout.task) if isinstance(rollout.task, str) else None
    if task is None:
        raise ProblemError(f"no task {rollout.task!r}; there are {', '.join(ROW_TASKS)}")
    return task


def _with_opened_thought(rollout: Rollout, rubric: Rubric) -> str:
    """The completion's text, with the opening tag in front if the prompt opened a thought."""
    opening = rubric.think_tags[0]
    if rollout.thinking and not rollout.text.lstrip().startswith(opening):
        return f"{opening}\n{rollout.text}"
    return rollout.text


def _rollout_options(rollout: Rollout, rubric: Rubric, task: str) -> dict[str, Any]:
    """The verifier's options for a rollout. If the row is bad, `ProblemError` is raised."""
    options = {
        **rubric.options,
        "strict": rubric.strict,
        "stop": list(rubric.stop),
        "truncated": rollout.truncated,
    }
    if not TASKS[task].has_text:
        if not isinstance(rollout.target, str | int):
            raise ProblemError(f"the target {rollout.target!r} is neither text nor a number")
        return options
    if not isinstance(rollout.target, str) or not rollout.target.strip():
        raise ProblemError(f"the target {rollout.target!r} is no text")
    accepted = keyword_options(TASKS[task].verify)
    variable, assumptions = rollout.variable, rollout.assumptions
    if variable is not None and "variable" in accepted:  # a definite integral names its variable
        if not isinstance(variable, str):
            raise ProblemError(f"the variable {variable!r} is no text")
        options["variable"] = variable
    if assumptions is not None and "assumptions" in accepted:
        if not isinstance(assumptions, Mapping):
            raise ProblemError(f"the assumptions {assumptions!r} are no object")
        # A table gives every row all columns: empty cells are no assumptions.
        assumed = {name: assumption for name, assumption in assumptions.items() if assumption}
        if not all(isinstance(text, str) for pair in assumed.items() for text in pair):
            raise ProblemError(f"the assumptions {assumptions!r} are not all text")
        options["assumptions"] = assumed
    return options


def _score(rollout: Rollout, rubric: Rubric, verdict: Verdict) -> Score:
    if verdict.status is Status.ERROR and "problem_error" in verdict.evidence.flags:
        return Score(None, BAD_PROBLEM, verdict)
    if has_no_opinion(verdict):
        return Score(None, CUT_OFF, verdict)
    status, coverage = verdict.status, verdict.evidence.coverage
    if status is Status.CORRECT and coverage is not None and coverage < rubric.min_coverage:
        status = Status.INCORRECT
    graded = GradedCompletion(
        text=_with_opened_thought(rollout, rubric),
        status=status,
        verdict=verdict,
        truncated=rollout.truncated,
        tokens=rollout.tokens,
        stop=rubric.stop,
        length=rubric.length,
        think_tags=rubric.think_tags,
        must_think=rubric.must_think,
    )
    open_gate = status is Status.CORRECT or not rubric.gate
    values: dict[str, float] = {}
    for name in rubric.components:
        component = COMPONENTS[name]
        values[name] = component.value(graded) if open_gate or not component.gated else 0.0
    reward = sum(rubric.weighted[name] * value for name, value in values.items())
    return Score(reward, status.value, verdict, values)


def _faults(rollouts: Sequence[Rollout], error: Exception) -> list[Score]:
    log.error("no workers to score %d completions: %s", len(rollouts), error)
    return [Score(None, FAULT, Verdict(Status.ERROR, 0.0)) for _ in rollouts]
