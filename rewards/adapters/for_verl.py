"""Reward function for verl: ``compute_score``, or ``acompute_score`` for verl's async managers.

    reward.custom_reward_function.path=pkg://calculus_harness.rewards.adapters.for_verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.components=[correctness,format]

The ``ground_truth`` of a row is the integrand (or the target of another task), or an object. The
object has ``integrand``, ``integral`` or ``target``. The object or ``extra_info`` may also have
``variable``, ``assumptions`` and ``task``. With ``task=mixed`` each row has its own task.

verl 0.9 (``verl/experimental/reward_loop/reward_manager/naive.py``) calls the function by keyword,
one row at a time, from threads or actors. In the result, ``score`` is the reward, and the other
entries are logged.

verl has no value for "no opinion". If a row is bad, all its completions score 0, so that no
completion has an advantage. The row is logged. `NoOpinionError` is raised if there are no workers,
or if the wall clock ended a judgement twice. The mean of the group cannot be the reward, because
verl passes a single completion in a call. verl drops the end token, so that truncation is unknown
here. A truncated answer still needs a complete box that is not inside an unfinished thought.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from .rows import target_of, text_of
from .scoring import Rollout, Rubric, Score, ascore, numbers, score, telemetry

__all__ = ["acompute_score", "compute_score"]

#: Arguments that verl itself may pass in addition to the four.
_VERL_ARGUMENTS = {
    "reward_router_address",
    "reward_model_tokenizer",
    "sandbox_fusion_url",
    "concurrent_semaphore",
    "memory_limit_mb",
}
_FIELDS = {field.name for field in fields(Rubric)}


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    opens_thinking: bool = False,
    **kwargs: Any,
) -> dict[str, Any]:
    r"""Score a completion. The arguments are those of verl's custom reward functions.

    Args:
        data_source: not used.
        solution_str: the completion.
        ground_truth: the integrand, or an object with ``integrand``, ``variable``, ``assumptions``.
        extra_info: may have ``variable`` and ``assumptions``.
        opens_thinking: whether the chat template opens a thought.
        kwargs: fields of `scoring.Rubric`, which verl passes from ``reward_kwargs``.

    Returns:
        ``score`` (the reward), ``acc`` (1 or 0), ``status``, ``pred`` (the extracted answer), and
        the numbers of `scoring.telemetry`: ``is_correct``, ``correctness``, ...

    Raises:
        TypeError: a field is unknown.
        NoOpinionError: no worker can be started, or the limit of wall-clock time is exceeded.
            `NoOpinionError` is a subclass of `RuntimeError`.

    Example:
        >>> result = compute_score("calculus", r"It is $\boxed{x^2}$.", "2x", workers=1)
        >>> [result[name] for name in ("score", "acc", "status", "pred", "correctness")]
        [1.0, 1.0, 'correct', 'x^2', 1.0]

    """
    rollout = _rollout(solution_str, ground_truth, extra_info, opens_thinking)
    rubric = _rubric(kwargs)
    return _result(score([rollout], rubric)[0], ground_truth, rubric)


async def acompute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    opens_thinking: bool = False,
    **kwargs: Any,
) -> dict[str, Any]:
    r"""`compute_score` as an async function.

    Args:
        data_source: as for `compute_score`.
        solution_str: as for `compute_score`.
        ground_truth: as for `compute_score`.
        extra_info: as for `compute_score`.
        opens_thinking: as for `compute_score`.
        kwargs: as for `compute_score`.

    Returns:
        As `compute_score`.

    Raises:
        TypeError: a field is unknown.
        NoOpinionError: as `compute_score`.

    Example:
        >>> import asyncio
        >>> asyncio.run(acompute_score("calculus", r"$\boxed{x^3}$", "2x", workers=1))["score"]
        0.0

    """
    rollout = _rollout(solution_str, ground_truth, extra_info, opens_thinking)
    rubric = _rubric(kwargs)
    return _result((await ascore([rollout], rubric))[0], ground_truth, rubric)


def _rollout(text: Any, ground_truth: Any, extra_info: Any, opens_thinking: bool) -> Rollout:
    return Rollout(
        text_of(text), **target_of(ground_truth, extra_info)._asdict(), thinking=opens_thinking
    )


def _rubric(kwargs: Mapping[str, Any]) -> Rubric:
    wrong = kwargs.keys() - _FIELDS - _VERL_ARGUMENTS
    if wrong:
        raise TypeError(f"no such reward_kwargs: {', '.join(sorted(wrong))}")
    return Rubric(**{name: value for name, value in kwargs.items() if name in _FIELDS})


def _result(result: Score, ground_truth: Any, rubric: Rubric) -> dict[str, Any]:
    (reward,) = numbers([result], [str(ground_truth)])
    return {
        "score": reward,
        "acc": float(result.status == "correct"),
        "status": result.status,
        "pred": (result.verdict.answer or "").encode(errors="replace").decode(),
        # Numbers for verl's metrics; GDPO takes components as ``gdpo_reward_keys``.
        **telemetry(result, rubric),
    }
