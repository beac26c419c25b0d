"""Rewards for completions: what earns what, once, for every trainer.

A reward is the weighted sum of components, each between 0 and 1:

- ``correctness``: 1 for a proven answer, else 0. Undecided answers, timeouts and workers killed for
  memory are not proven, and get 0: a model soon learns to write what cannot be decided, if it pays.
- ``format``: the share of the questions of `form.Form` that are answered with yes.
- ``length``: 1 up to the first length of ``Rubric.length`` (tokens), falling to 0 at the second.

By default (``gate``) format and length earn nothing beside a wrong answer, so that there is no
reward without mathematics.

A reward is None, which trainers read as "no opinion", only where the completion has no part in it:
the row of the data set is bad (its integrand cannot be read), or no worker could be started.
Anything that a completion can bring about is a number: for a bad answer "no opinion", an advantage
of zero, would be better than what it deserves.
"""

from __future__ import annotations

import inspect
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from .. import verify_antiderivative, verify_equivalent, verify_integer, verify_label, verify_value
from ..batch import DEADLINE, WorkItem, amap_verdicts, map_verdicts
from ..verdict import Status, Verdict
from ..workers.pool import DEFAULT_MEMORY_MB, PoolError
from .form import THINK_TAGS, Form, form_of

log = logging.getLogger(__name__)

COMPONENTS = ("correctness", "format", "length")
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
# What is compared with balls alone is safe; this one runs in SymPy and belongs to evaluation.
_REFUSED = {"method"}


@dataclass(frozen=True)
class Rubric:
    """What earns what. Immutable, picklable, checked when made (`ValueError`, `TypeError`).

    Args:
        task: one of `TASKS`.
        components: some of `COMPONENTS`.
        weights: one for each component; 1 for correctness and 0.1 for others by default.
        gate: other components count only beside a correct answer.
        strict: the answer is in a box, or there is none.
        stop: the prompt's stop strings; what follows the first is not the answer.
        length: lengths in tokens for the component ``length``: full credit, none.
        think_tags: what opens and closes a thought.
        must_think: the component ``format`` asks for a thought.
        min_coverage: an answer that is right on a smaller share of the integrand's real domain (see
            `rewards.Evidence.coverage`) is not correct.
        options: of the task's verifier: ``strict_domain``, ``relative_tolerance``, ...
        deadline: seconds for an item, after which its worker is killed.
        workers: how many; by default one for each core that this process may use.
        memory_mb: what a worker may take.

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
    deadline: float = DEADLINE
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
        weights = self.weights or [1.0 if c == "correctness" else 0.1 for c in self.components]
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
    """One completion and what it has to answer.

    ``target`` is the integrand, value, expression, label or whole number. ``variable`` and
    ``assumptions`` are those of `rewards.verify_antiderivative`; empty entries of assumptions,
    which data sets make of rows that lack a symbol, are dropped. ``tokens`` is the completion's
    length. ``thinking``: the prompt has opened a thought already.
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
    """What an item earned, and why. ``reward`` None: no opinion (``bad_problem``, ``fault``)."""

    reward: float | None
    status: str
    verdict: Verdict
    components: Mapping[str, float] = field(default_factory=dict)
    form: Form | None = None

    @property
    def seconds(self) -> float:
        return self.verdict.evidence.seconds


def score(items: Sequence[Item], rubric: Rubric) -> list[Score]:
    """A score for each item, in order. Raises nothing whatever the items hold."""
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
            sent[position] = (_shown(item, rubric), item.target, options)
    return sent


def _shown(item: Item, rubric: Rubric) -> str:
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
    if verdict.status is Status.TIMEOUT:
        evidence = replace(verdict.evidence, seconds=rubric.deadline)
        verdict = replace(verdict, evidence=evidence)
    status, coverage = verdict.status, verdict.evidence.coverage
    if status is Status.CORRECT and coverage is not None and coverage < rubric.min_coverage:
        status = Status.INCORRECT
    correct = status is Status.CORRECT
    form: Form | None = None
    components: dict[str, float] = {}
    for name in rubric.components:
        value = 0.0
        if name == "correctness":
            value = float(correct)
        elif correct or not rubric.gate:
            if name == "format":
                form = _form(item, rubric, status)
                value = form.share
            else:
                value = _brevity(item.tokens, rubric.length)
        components[name] = value
    reward = sum(rubric.weighted[name] * value for name, value in components.items())
    return Score(reward, status.value, verdict, components, form)


def _form(item: Item, rubric: Rubric, status: Status) -> Form:
    return form_of(
        _shown(item, rubric),
        status,
        truncated=item.truncated,
        stop=rubric.stop,
        tags=rubric.think_tags,
        must_think=rubric.must_think,
    )


def _brevity(tokens: int | None, length: tuple[int, int] | None) -> float:
    """Credit for shortness; none where the length is not known."""
    if tokens is None or length is None:
        return 0.0
    full, none = length
    return min(1.0, max(0.0, (none - tokens) / (none - full)))


def _faults(items: Sequence[Item], error: Exception) -> list[Score]:
    log.error("no workers to score %d completions: %s", len(items), error)
    return [Score(None, FAULT, Verdict(Status.ERROR, 0.0)) for _ in items]
