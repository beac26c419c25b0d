"""Reward function for verl: ``compute_score``, or ``acompute_score`` for its async managers.

    reward.custom_reward_function.path=pkg://calculus_harness.rewards.adapters.for_verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.components=[correctness,format]

The ``ground_truth`` of a row is the integrand (or what else the task asks for), or an object with
``integrand``, ``variable`` and ``assumptions``; the latter two may also stand in ``extra_info``.
(verl 0.9, ``verl/experimental/reward_loop/reward_manager/naive.py``: called by keyword, one row at
a time, from threads or actors; a dict's ``score`` is the reward, its other entries are logged.)

verl takes no answer for "no opinion". A bad row scores 0 for every completion, which is no
advantage within its group, and is logged; without workers there is no score to be had, and
`RuntimeError` is raised. verl drops the end token, so that truncation cannot be seen here: the rule
that an answer stands in a complete box, outside unfinished thoughts, has to do.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from .rows import target_of, text_of
from .scoring import BAD_PROBLEM, FAULT, Item, Rubric, Score, ascore, score

__all__ = ["acompute_score", "compute_score"]

log = logging.getLogger(__name__)
#: What verl itself may pass beside the four arguments.
_VERLS = {
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
    """``score`` (the reward), ``acc`` (1 or 0), ``status`` and ``pred`` (the answer found).

    ``kwargs`` are fields of `scoring.Rubric`, given as ``reward_kwargs``; ``opens_thinking`` says
    that the chat template opens a thought. ``data_source`` says nothing about the reward.
    """
    item = _item(solution_str, ground_truth, extra_info, opens_thinking)
    return _result(score([item], _rubric(kwargs))[0], ground_truth)


async def acompute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    opens_thinking: bool = False,
    **kwargs: Any,
) -> dict[str, Any]:
    """`compute_score` as an async function."""
    item = _item(solution_str, ground_truth, extra_info, opens_thinking)
    return _result((await ascore([item], _rubric(kwargs)))[0], ground_truth)


def _item(text: Any, ground_truth: Any, extra_info: Any, opens_thinking: bool) -> Item:
    return Item(text_of(text), *target_of(ground_truth, extra_info), thinking=opens_thinking)


def _rubric(kwargs: Mapping[str, Any]) -> Rubric:
    wrong = kwargs.keys() - _FIELDS - _VERLS
    if wrong:
        raise TypeError(f"no such reward_kwargs: {', '.join(sorted(wrong))}")
    return Rubric(**{name: value for name, value in kwargs.items() if name in _FIELDS})


def _result(found: Score, ground_truth: Any) -> dict[str, Any]:
    if found.status == FAULT:
        raise RuntimeError("no workers to score completions with; the log says why")
    if found.status == BAD_PROBLEM:
        detail = found.verdict.evidence.detail
        log.warning("bad ground_truth %.200r scores 0: %s", ground_truth, detail)
    return {
        "score": found.reward or 0.0,
        "acc": float(found.status == "correct"),
        "status": found.status,
        "pred": (found.verdict.answer or "").encode(errors="replace").decode(),
    }
