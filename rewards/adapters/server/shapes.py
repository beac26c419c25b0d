"""The trainers' request formats. An answer has the format of its request.

====================  ============================================================================
plain                 ``{"items": [{"completion": text, "target": integrand, ...}]}``; an item may
                      also have ``variable``, ``assumptions``, ``task``, ``truncated``, ``tokens``
                      and ``thinking`` (`rewards.adapters.scoring.Rollout`; a target may be an
                      object, as for verl). The answer is ``{"scores": [{"reward", "status",
                      "answer", "components", "detail"}]}``; a reward may be null.
OpenRLHF              ``{"query": [...], "prompts": [...], "labels": [...]}``; the answer is
                      ``{"rewards", "scores", "extra_logs"}``.
slime, ``remote_rm``  ``{"prompt", "response", "label"}``, one completion; the answer is its reward,
                      or with ``?detail=1`` an object (``--reward-key reward``).
NeMo Gym              to ``/verify``: ``{"responses_create_params", "response", ...}`` with the
                      row's own fields (``integrand``, ``integral`` or ``target``, and so on, at the
                      top or in ``verifier_metadata``); the answer is the request with ``reward``
                      and ``reward_components``, and with ``mask_sample`` if the row is bad.
====================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..for_openrlhf import RewardFunction, results
from ..rows import content_text, opens_thinking, target_of
from ..scoring import Rollout, Score, numbers
from .bodies import BadRequestError


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A parsed request: its rollouts, and a function that makes the answer from their scores."""

    rollouts: list[Rollout]
    answer: Callable[[Sequence[Score]], Any]


def understood(body: Any, function: RewardFunction, *, detail: bool = False) -> ParsedRequest:
    """Parse the body of a request to ``/score``. A bad body raises `BadRequestError`."""
    if not isinstance(body, dict):
        raise BadRequestError("the body must be a JSON object")
    if "items" in body:
        return ParsedRequest([_rollout(row) for row in _list(body, "items", dict)], _plain)
    if "query" in body:
        queries = _list(body, "query", str)
        labels = _list(body, "labels", object)
        prompts = _list(body, "prompts", str)  # needed: queries contain them
        try:
            rollouts = function.rollouts(queries, prompts, labels)
        except ValueError as error:
            raise BadRequestError(str(error)) from None
        return ParsedRequest(
            rollouts, lambda scores: results(rollouts, scores, labels, function.rubric)
        )
    if "response" in body:
        return _slime(body, function, detail)
    raise BadRequestError(
        'the body needs "items", or "query", "prompts" and "labels", or "prompt", "response" and '
        '"label"'
    )


def _list(request: dict[str, Any], name: str, item_type: type) -> list[Any]:
    values = request.get(name)
    if not isinstance(values, list) or not all(isinstance(value, item_type) for value in values):
        type_names: dict[type, str] = {str: " of strings", dict: " of objects"}
        what = type_names.get(item_type, "")
        raise BadRequestError(f'"{name}" must be a list{what}')
    return values


_TARGETS = {"target", "integrand", "integral"}
_KEYS = _TARGETS | {"completion", "variable", "assumptions", "task", "truncated", "tokens"}


def _rollout(row: dict[str, Any]) -> Rollout:
    unknown = row.keys() - _KEYS - {"thinking"}
    if unknown:
        raise BadRequestError(f"an item has no field {sorted(unknown)[0]!r}")
    if not isinstance(row.get("completion"), str):
        raise BadRequestError('an item needs a "completion", which is a text')
    if len(_TARGETS & row.keys()) != 1:
        raise BadRequestError('an item needs a "target" (or "integrand", or "integral")')
    tokens = row.get("tokens")
    if tokens is not None and not isinstance(tokens, int):
        raise BadRequestError('"tokens" must be a whole number')
    return Rollout(
        row["completion"],
        **target_of(row.get("target", row), row)._asdict(),
        truncated=bool(row.get("truncated")),
        tokens=tokens,
        thinking=bool(row.get("thinking")),
    )


def described(score: Score) -> dict[str, Any]:
    """Convert a score to JSON. The keys are the same in all request formats."""
    return {
        "reward": score.reward,
        "status": score.status,
        "answer": score.verdict.answer,
        "components": dict(score.components),
        "detail": score.verdict.evidence.detail,
    }


def _plain(scores: Sequence[Score]) -> dict[str, Any]:
    return {"scores": [described(scored) for scored in scores]}


def _slime(body: dict[str, Any], function: RewardFunction, detail: bool) -> ParsedRequest:
    if not isinstance(body["response"], str):
        raise BadRequestError('"response" must be a text')
    thinking = opens_thinking(body.get("prompt"), function.rubric.think_tags[0])
    target = target_of(body.get("label"))._asdict()
    rollout = Rollout(body["response"], **target, thinking=thinking)

    def answer(scores: Sequence[Score]) -> Any:
        # slime has no value for "no opinion", and repeats a request after an error.
        [score], [reward] = scores, numbers(scores, [str(body.get("label"))])
        return described(score) | {"reward": reward} if detail else reward

    return ParsedRequest([rollout], answer)


def understood_verify(body: Any) -> ParsedRequest:
    """Parse the body of a request to ``/verify``. A bad body raises `BadRequestError`."""
    if not isinstance(body, dict) or not isinstance(body.get("response"), dict):
        raise BadRequestError('the body must be an object with a "response"')
    metadata = body.get("verifier_metadata")
    row = {**(metadata if isinstance(metadata, dict) else {}), **body}
    if not _TARGETS & row.keys():
        raise BadRequestError('a row needs "integrand", "integral" or "target"')
    response = body["response"]
    cut = response.get("incomplete_details")
    rollout = Rollout(
        _last_message(response.get("output")),
        **target_of(row.get("target", row), row)._asdict(),
        truncated=isinstance(cut, dict) and cut.get("reason") == "max_output_tokens",
    )

    def answer(scores: Sequence[Score]) -> Any:
        [score] = scores
        return body | {
            "reward": score.reward or 0.0,
            "reward_components": dict(score.components),
            "mask_sample": score.reward is None,
            "failure_kind": "verifier_error" if score.reward is None else None,
            "failure_reason": score.verdict.evidence.detail if score.reward is None else None,
            "status": score.status,
            "answer": score.verdict.answer,
        }

    return ParsedRequest([rollout], answer)


def _last_message(output: Any) -> str:
    """The text of the assistant's last message.

    The text is empty if anything except reasoning follows the message.
    """
    if not isinstance(output, list):
        return ""
    for item in reversed(output):
        if not isinstance(item, Mapping) or item.get("type") == "reasoning":
            continue
        if item.get("type", "message") != "message" or item.get("role") != "assistant":
            return ""
        return content_text(item.get("content"))
    return ""
