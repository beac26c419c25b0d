"""Rewards for TRL's trainers (GRPO, RLOO and others that take ``reward_funcs``).

    trainer = GRPOTrainer(reward_funcs=antiderivative_reward, ...)  # a data set with "integrand"

TRL 1.16 (``GRPOTrainer._calculate_rewards``) calls ``f(prompts=, completions=, completion_ids=,
**columns)`` and expects a list. Each element is a float or None. ``columns`` are the columns of the
data set, and ``trainer_state``, ``log_extra`` and ``log_metric``. If the prompts are lists of
messages, the completions are lists of messages, too. Otherwise both are strings.

TRL does not pass the finish reason. If `make_reward` gets the ids of the tokens that end a
completion, a completion without such a token counts as truncated. In conversational data, the text
that a chat template adds after the prompt is not visible. If the template opens a thought there,
set ``opens_thinking=True``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from ..records import check_fields
from .rows import is_truncated, opens_thinking, text_of, warn_once
from .scoring import MIXED, ROW_TASKS, TASKS, Rollout, Rubric, Score, ascore, rates, score

__all__ = [
    "AsyncReward",
    "Reward",
    "antiderivative_reward",
    "definite_integral_reward",
    "make_reward",
    "step_reward",
]

log = logging.getLogger(__name__)
LONGEST_LOGGED = 300
#: Columns of targets in mixed data.
MIXED_COLUMNS = tuple(dict.fromkeys(task.column for task in TASKS.values()))
#: Column -> its first task, for rows without a task.
_COLUMN_TASKS = {
    task.column: name
    for name, task in list(TASKS.items())[::-1]
    if task.column not in ("target", "question")
}


@dataclass(frozen=True)
class _Settings:
    """How rows of a data set are converted and logged. `make_reward` describes the fields."""

    rubric: Rubric
    name: str
    column: str
    ends: tuple[int, ...] = ()
    max_completion_length: Annotated[int, msgspec.Meta(ge=1)] | None = None
    opens_thinking: bool | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    # TRL reads the reward's name from ``__name__``.
    @property
    def __name__(self) -> str:
        return self.name

    def rollouts(
        self,
        prompts: Sequence[Any] | None,
        completions: Sequence[Any],
        completion_ids: Sequence[Sequence[int]] | None,
        columns: Mapping[str, Any],
    ) -> list[Rollout]:
        count = len(completions)
        if not columns.keys() & self.columns:
            present = ", ".join(sorted(columns)) or "none"
            expected = " or ".join(map(repr, self.columns))
            raise TypeError(f"{self.name} needs a column {expected}; the columns: {present}")
        used_columns = {
            name: columns.get(name)
            for name in (*self.columns, "variable", "assumptions", "task")
            if isinstance(columns.get(name), list | tuple)
        } | {"prompts": prompts, "completion_ids": completion_ids}
        for name, values in used_columns.items():
            if values is not None and len(values) != count:
                raise ValueError(f"{count} completions but {len(values)} {name}")
        nothing = [None] * count
        rows = zip(
            prompts or nothing,
            completions,
            completion_ids or nothing,
            self.targets(used_columns, count),
            used_columns.get("variable") or nothing,
            used_columns.get("assumptions") or nothing,
            strict=True,
        )
        return [
            Rollout(
                text_of(completion),
                target,
                variable,
                assumptions,
                truncated=is_truncated(ids, self.ends, self.max_completion_length),
                tokens=None if ids is None else len(ids),
                thinking=opens_thinking(prompt, self.rubric.think_tags[0])
                if self.opens_thinking is None
                else self.opens_thinking,
                task=task,
            )
            for prompt, completion, ids, (target, task), variable, assumptions in rows
        ]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that may contain targets."""
        return (self.column,) if self.rubric.task != MIXED else MIXED_COLUMNS

    def targets(
        self, used_columns: Mapping[str, Sequence[Any] | None], count: int
    ) -> list[tuple[Any, Any]]:
        """The target and the task of each row.

        If the task is ``mixed``, each row has a value in the column of its own task. The values in
        the columns of other tasks are empty.
        """
        nothing = [None] * count
        if self.rubric.task != MIXED:
            return [(target, None) for target in used_columns.get(self.column) or nothing]
        pairs: list[tuple[Any, Any]] = []
        for row, task in enumerate(used_columns.get("task") or nothing):
            cells = {name: (used_columns.get(name) or nothing)[row] for name in self.columns}
            filled = [name for name, cell in cells.items() if cell not in (None, "")]
            if task:
                column = TASKS[ROW_TASKS[task]].column if task in ROW_TASKS else "target"
                pairs.append((cells[column] or cells["target"], task))
            elif filled and filled[0] in _COLUMN_TASKS:
                pairs.append((cells[filled[0]], _COLUMN_TASKS[filled[0]]))
            else:
                pairs.append((None, None))
        return pairs

    def finish(
        self,
        rollouts: Sequence[Rollout],
        scores: Sequence[Score],
        since: float,
        columns: Mapping[str, Any],
    ) -> list[float | None]:
        log_metric: Callable[[str, float], None] | None = columns.get("log_metric")
        log_extra: Callable[[str, list[Any]], None] | None = columns.get("log_extra")
        if log_metric is not None:
            # Log every rate every time: TRL averages over the processes that logged a name.
            for status, rate in rates(scores).items():
                log_metric(f"{self.name}/{status}", rate)
            if self.ends or self.max_completion_length:
                cut = sum(rollout.truncated for rollout in rollouts) / max(1, len(rollouts))
                log_metric(f"{self.name}/truncated", cut)
            else:  # a rate of 0 would say that none was cut off
                warn_once(log, "%s does not know what was cut off: give eos_token_id=", self.name)
            log_metric(f"{self.name}/seconds", time.perf_counter() - since)
            slowest = max((scored.seconds for scored in scores), default=0.0)
            log_metric(f"{self.name}/slowest_seconds", slowest)
            for component in self.rubric.components:
                values = [scored.components.get(component, 0.0) for scored in scores]
                log_metric(f"{self.name}/{component}", sum(values) / max(1, len(values)))
        if log_extra is not None:
            log_extra(f"{self.name}/status", [scored.status for scored in scores])
            log_extra(f"{self.name}/answer", [_loggable(s.verdict.answer) for s in scores])
            log_extra(f"{self.name}/seconds", [round(scored.seconds, 4) for scored in scores])
        return [scored.reward for scored in scores]


class Reward(_Settings):
    r"""A reward function for TRL. The function can be pickled, and called from threads and from
    several processes.

    >>> reward = make_reward("value", workers=1)
    >>> reward(completions=[r"$\boxed{0.5}$"], target=[r"\frac12"])
    [1.0]
    >>> definite_integral_reward(completions=[r"$\boxed{\frac13}$"], problem=[r"\int_0^1 x^2\,dx"])
    [1.0]
    >>> text = r"$\int xe^x\,dx = xe^x - \int e^x\,dx$"
    >>> step_reward(completions=[text], integrand=["xe^x"])
    [0.5]
    """

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        completion_ids: Sequence[Sequence[int]] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """The reward of each completion. None means "no opinion" (see `scoring`).

        Data of the wrong shape raise `TypeError` or `ValueError`. No other exception is raised.
        """
        since = time.perf_counter()
        rollouts = self.rollouts(prompts, completions, completion_ids, columns)
        return self.finish(rollouts, score(rollouts, self.rubric), since, columns)


class AsyncReward(_Settings):
    r"""`Reward` as an async function, which TRL runs concurrently with other async rewards.

    >>> import asyncio
    >>> reward = make_reward("value", workers=1, asynchronous=True)
    >>> asyncio.run(reward(completions=[r"$\boxed{0.5}$"], target=[r"\frac12"]))
    [1.0]

    """

    async def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        completion_ids: Sequence[Sequence[int]] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Compute rewards like `Reward.__call__`, but asynchronously."""
        since = time.perf_counter()
        rollouts = self.rollouts(prompts, completions, completion_ids, columns)
        return self.finish(rollouts, await ascore(rollouts, self.rubric), since, columns)


def make_reward(
    task: str = "antiderivative",
    components: Sequence[str] = ("correctness",),
    weights: Sequence[float] | None = None,
    *,
    asynchronous: bool = False,
    name: str | None = None,
    column: str | None = None,
    eos_token_id: int | Sequence[int] | None = None,
    max_completion_length: int | None = None,
    opens_thinking: bool | None = None,
    **rubric: Any,
) -> Reward | AsyncReward:
    r"""Make a reward function for TRL.

    Args:
        task: ``antiderivative``, ``steps``, ``definite``, ``value``, ``equivalent``, ``label``,
            ``integer`` or ``mixed``. With ``mixed``, each row of the data set has its own task
            in the column ``task``. The value is a name from this list, or a benchmark's name. If
            that column is missing, the task depends on which of the columns ``integrand`` and
            ``problem`` has a value.
        components: names of `rewards.adapters.components`.
        weights: the weight of each component; by default 1 for correctness and 0.1 for others.
        asynchronous: whether to make an async function.
        name: the name for logs and metrics; ``<task>_reward`` by default.
        column: the data set's column of targets. The default depends on the task. Examples are
            ``integrand`` and ``target``. Columns ``variable`` and ``assumptions`` are used
            if they exist.
        eos_token_id: the ids of all tokens that end a completion, as in
            ``model.generation_config.eos_token_id``. A completion without such a token is
            truncated.
        max_completion_length: the token limit. If it is given, a shorter completion never counts as
            truncated, even without an end token. Such a completion may have ended at a stop string.
        opens_thinking: whether the prompt opens a thought. By default, a prompt that is a string
            opens a thought if it ends with the opening tag.
        rubric: the other fields of `scoring.Rubric`.

    Returns:
        The function; it can be pickled and called from threads.

    Raises:
        ValueError: a field has a bad value.
        TypeError: a field is unknown, or is a string instead of a list, or ``column`` is given for
            mixed data.

    Example:
        >>> reward = make_reward("value", ["correctness", "format"], workers=1)
        >>> reward(["What is 1/2?"], [r"$\boxed{0.5}$"], target=[r"\frac12"])
        [1.1]

    """
    if task == MIXED and column is not None:
        raise TypeError(f"mixed data have the columns {', '.join(MIXED_COLUMNS)}, not {column!r}")
    ends = (eos_token_id,) if isinstance(eos_token_id, int) else tuple(eos_token_id or ())
    # The rubric makes tuples of lists, and refuses a string, which is a sequence of letters.
    made_rubric = Rubric(task, **rubric | {"components": components, "weights": weights})
    reward_class = AsyncReward if asynchronous else Reward
    return reward_class(
        made_rubric,
        name or f"{task}_reward",
        column or ("" if task == MIXED else TASKS[task].column),
        ends,
        max_completion_length,
        opens_thinking,
    )


antiderivative_reward = Reward(Rubric(), "antiderivative_reward", "integrand")
r"""The default reward, for a column ``integrand``: 1.0 for a box with an antiderivative, else 0.0.

The reward is None for a bad row. Columns ``variable`` and ``assumptions`` are used if they exist.

>>> antiderivative_reward(["Integrate 2x."], [r"$\boxed{x^2 + C}$"], integrand=["2x"])
[1.0]
"""

definite_integral_reward = Reward(Rubric("definite"), "definite_integral_reward", "problem")
"""The default reward for definite integrals, the column ``problem``: 1.0 for a box with the value.

The arguments are those of `antiderivative_reward`.
"""

step_reward = Reward(Rubric("steps", ("steps",), (1.0,), gate=False), "step_reward", "integrand")
"""A reward for steps, beside one for the answer: ``[antiderivative_reward, step_reward]``.

It is the share of the problem that right steps settle before the first wrong one
(`rewards.verify.solution_steps.Solution.progress`). Repetition, padding, statements beside the
point and a restated question earn nothing, nor does an answer without steps. The arguments are
those of `antiderivative_reward`. """


def _loggable(answer: str | None) -> str:
    """Prepare an answer for a table of the log: shorten it, and replace lone surrogates."""
    return (answer or "")[:LONGEST_LOGGED].encode(errors="replace").decode()
