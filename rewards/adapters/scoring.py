"""Rewards for completions: what earns what, once, for every trainer.

A reward is the weighted sum of components, each between 0 and 1 (`rewards.adapters.components` has
them, and shows how to add one). With ``gate``, the default, the other components earn nothing
beside a wrong answer, so that there is no reward without mathematics.

A reward is None, which trainers read as "no opinion", only where the completion is not the cause:
the row of the data set is bad (its integrand cannot be read), or no worker could be started.
Anything that a completion can cause is a number: for a bad answer "no opinion", an advantage of
zero, would be better than it deserves.
"""

from __future__ import annotations

import inspect
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from ..antiderivative import verify_antiderivative
from ..arithmetic import verify_integer
from ..labels import verify_label
from ..values import verify_equivalent, verify_value
from ..verdict import Status, Verdict
from ..workers.pool import DEFAULT_DEADLINE, DEFAULT_MEMORY_MB, PoolError
from ..workers.verdicts import WorkItem, amap_verdicts, map_verdicts
from .components import COMPONENTS, GradedCompletion
from .components.format import THINK_TAGS

log = logging.getLogger(__name__)

#: Statuses of a score beside those of `rewards.Status`: the two that mean "no opinion".
BAD_PROBLEM, FAULT = "bad_problem", "fault"
STATUSES = (*(status.value for status in Status), BAD_PROBLEM, FAULT)


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of problem: its worker task, its verifier, and the usual column of its targets."""

    worker: str
    verifier: Callable[..., Verdict]
    column: str


TASKS: Mapping[str, Task] = {
    "antiderivative": Task("verify", verify_antiderivative, "integrand"),
    "value": Task("value", verify_value, "target"),
    "equivalent": Task("equivalent", verify_equivalent, "target"),
    "label": Task("label", verify_label, "target"),
    "integer": Task("integer", verify_integer, "target"),
}
# Options of verifiers that a rubric has fields for, or that belong to an item.
_OURS = {"strict", "stop", "deadline", "truncated", "variable", "assumptions", "undecided_reward"}
# Ball arithmetic cannot be exploited; the other methods are for evaluation only.
_REFUSED = {"method"}


@dataclass(frozen=True)
class Rubric:
    """What earns what. Immutable, picklable, checked when made (`ValueError`, `TypeError`).

    Args:
        task: one of `TASKS`.
        components: names of `rewards.adapters.components`.
        weights: one for each component; by default 1 for correctness and 0.1 for others.
        gate: other components count only beside a correct answer.
        strict: require a box; without one there is no answer.
        stop: the prompt's stop strings. Text after the first of them is ignored.
        length: two lengths in tokens for the component ``length``: full credit, no credit.
        think_tags: the strings that open and close a thought.
        must_think: the component ``format`` requires a thought.
        min_coverage: count an answer as incorrect if it is right on a smaller share of the
            integrand's real domain (see `rewards.Evidence.coverage`).
        options: of the task's verifier: ``strict_domain``, ``relative_tolerance``, ...
        deadline: seconds of wall clock for an item, after which its worker is killed.
        workers: number of worker processes; by default one for each core.
        memory_mb: megabytes of memory that a worker may take beyond its code.

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
    min_coverage: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)
    deadline: float = DEFAULT_DEADLINE
    workers: int | None = None
    memory_mb: int = DEFAULT_MEMORY_MB

    def __post_init__(self) -> None:
        # Settings come from YAML and JSON, where tuples are lists.
        for name in ("components", "weights", "stop", "length", "think_tags"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise TypeError(f"{name} must be a list, not {value!r}")
            if value is not None:
                object.__setattr__(self, name, tuple(value))
        if self.task not in TASKS:
            raise ValueError(f"no task {self.task!r}; there are {', '.join(TASKS)}")
        unknown = [name for name in self.components if name not in COMPONENTS]
        if unknown or not self.components or len(set(self.components)) < len(self.components):
            raise ValueError(f"components must be some of {', '.join(COMPONENTS)}")
        if self.weights is not None and len(self.weights) != len(self.components):
            raise ValueError(f"{len(self.components)} components but {len(self.weights)} weights")
        if ("length" in self.components) != (self.length is not None):
            raise ValueError("the component length and the lengths for it go together")
        if self.length is not None and not 0 <= self.length[0] < self.length[1]:
            raise ValueError(f"length must rise from full credit to none, not {self.length}")
        object.__setattr__(self, "options", dict(self.options))
        known = _options_of(self.task)
        wrong = self.options.keys() - known
        if wrong:
            raise TypeError(
                f"no such option: {', '.join(sorted(wrong))}; {self.task} knows "
                f"{', '.join(sorted(known)) or 'none'}"
            )

    @cached_property
    def weighted(self) -> dict[str, float]:
        """The weight of each component."""
        weights = self.weights or [COMPONENTS[name].weight for name in self.components]
        return dict(zip(self.components, weights, strict=True))

    @property
    def highest(self) -> float:
        """The most that a completion can earn."""
        return sum(weight for weight in self.weighted.values() if weight > 0)


@cache
def _options_of(task: str) -> frozenset[str]:
    parameters = inspect.signature(TASKS[task].verifier).parameters.values()
    keywords = {p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    return frozenset(keywords - _OURS - _REFUSED)


@dataclass(frozen=True, slots=True)
class Item:
    r"""One completion and its target.

    Attributes:
        text: the completion.
        target: the integrand, value, expression, label or whole number.
        variable: as for `rewards.verify_antiderivative`.
        assumptions: as for `rewards.verify_antiderivative`. Empty entries, which data sets make of
            rows that lack a symbol, are dropped.
        truncated: the completion was cut off by the token limit.
        tokens: length of the completion.
        thinking: the prompt has already opened a thought.

    Example:
        >>> Item(r"$\boxed{x^2}$", "2x").target
        '2x'

    """

    text: str
    target: Any
    variable: Any = None
    assumptions: Any = None
    truncated: bool = False
    tokens: int | None = None
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """The reward of an item, with its reasons.

    Attributes:
        reward: the reward; None means no opinion (status ``bad_problem`` or ``fault``).
        status: one of `STATUSES`.
        verdict: what the verifier says.
        components: the value of each component, before weighting.

    """

    reward: float | None
    status: str
    verdict: Verdict
    components: Mapping[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        return self.verdict.evidence.seconds


def score(items: Sequence[Item], rubric: Rubric) -> list[Score]:
    r"""Score items in order. Nothing in an item raises; `make_reward` and the like check settings.

    Args:
        items: completions with their targets.
        rubric: what earns what.

    Returns:
        A score for each item.

    Example:
        >>> items = [Item(r"$\boxed{x^2}$", "2x"), Item("x^2", "2x"), Item("x", "no formula")]
        >>> [each.reward for each in score(items, Rubric(workers=1))]
        [1.0, 0.0, None]

    """
    sent = _sent(items, rubric)
    try:
        settings = (rubric.workers, rubric.deadline, rubric.memory_mb)
        verdicts = map_verdicts(TASKS[rubric.task].worker, list(sent.values()), *settings)
    except (PoolError, OSError) as error:
        return _faults(items, error)
    return _scores(items, rubric, dict(zip(sent, verdicts, strict=True)))


async def ascore(items: Sequence[Item], rubric: Rubric) -> list[Score]:
    """`score` for asyncio; the loop is not blocked."""
    sent = _sent(items, rubric)
    try:
        settings = (rubric.workers, rubric.deadline, rubric.memory_mb)
        verdicts = await amap_verdicts(TASKS[rubric.task].worker, list(sent.values()), *settings)
    except (PoolError, OSError) as error:
        return _faults(items, error)
    return _scores(items, rubric, dict(zip(sent, verdicts, strict=True)))


def rates(scores: Sequence[Score]) -> dict[str, float]:
    """The share of each of `STATUSES`, those that do not occur included."""
    counts = Counter(each.status for each in scores)
    return {status: counts[status] / len(scores) if scores else 0.0 for status in STATUSES}


def _sent(items: Sequence[Item], rubric: Rubric) -> dict[int, WorkItem]:
    """What goes to the workers: everything but rows that are bad at first sight."""
    sent: dict[int, WorkItem] = {}
    for position, item in enumerate(items):
        options = _item_options(item, rubric)
        if options is not None:
            sent[position] = (_with_opened_thought(item, rubric), item.target, options)
    return sent


def _with_opened_thought(item: Item, rubric: Rubric) -> str:
    """The completion with the thought that the prompt opened for it."""
    opening = rubric.think_tags[0]
    if item.thinking and not item.text.lstrip().startswith(opening):
        return f"{opening}\n{item.text}"
    return item.text


def _item_options(item: Item, rubric: Rubric) -> dict[str, Any] | None:
    """The verifier's options for an item; None if the row is bad."""
    options = {
        **rubric.options,
        "strict": rubric.strict,
        "stop": list(rubric.stop),
        "truncated": item.truncated,
    }
    if rubric.task in ("label", "integer"):
        return options if isinstance(item.target, str | int) else None
    if not isinstance(item.target, str) or not item.target.strip():
        return None
    if rubric.task == "value":
        return options
    variable, assumptions = item.variable, item.assumptions
    if variable is not None:
        if not isinstance(variable, str):
            return None
        options["variable"] = variable
    if assumptions is not None:
        if not isinstance(assumptions, Mapping):
            return None
        kinds = {name: kind for name, kind in assumptions.items() if kind}
        if not all(isinstance(text, str) for pair in kinds.items() for text in pair):
            return None
        options["assumptions"] = kinds
    return options


def _scores(items: Sequence[Item], rubric: Rubric, verdicts: dict[int, Verdict]) -> list[Score]:
    bad = Verdict(Status.ERROR, 0.0)
    return [
        _score(item, rubric, verdicts[position])
        if position in verdicts
        else Score(None, BAD_PROBLEM, bad)
        for position, item in enumerate(items)
    ]


def _score(item: Item, rubric: Rubric, verdict: Verdict) -> Score:
    if verdict.status is Status.ERROR and "problem_error" in verdict.evidence.flags:
        return Score(None, BAD_PROBLEM, verdict)
    status, coverage = verdict.status, verdict.evidence.coverage
    if status is Status.CORRECT and coverage is not None and coverage < rubric.min_coverage:
        status = Status.INCORRECT
    graded = GradedCompletion(
        text=_with_opened_thought(item, rubric),
        status=status,
        verdict=verdict,
        truncated=item.truncated,
        tokens=item.tokens,
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


def _faults(items: Sequence[Item], error: Exception) -> list[Score]:
    log.error("no workers to score %d completions: %s", len(items), error)
    return [Score(None, FAULT, Verdict(Status.ERROR, 0.0)) for _ in items]
