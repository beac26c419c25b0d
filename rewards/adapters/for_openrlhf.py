"""Reward function for OpenRLHF: ``reward_func``, in a file that ``--reward.remote_url`` names.

    # my_reward.py
    from calculus_harness.rewards.adapters.for_openrlhf import make_reward_func
    reward_func = make_reward_func(components=["correctness", "format"], eos_tokens=["<|im_end|>"])

A row's label is the integrand (or what else the task asks for), or JSON with ``integrand``,
``variable`` and ``assumptions``. (OpenRLHF 0.11, ``openrlhf/utils/agent.py``: called from threads;
queries hold prompt and response with special tokens; ``rewards`` become the reward, ``scores`` are
for dynamic filtering, ``extra_logs`` are numbers for each sample.)

The response is what follows the prompt, and nothing of the prompt is ever taken for an answer.
OpenRLHF takes no answer for "no opinion": a bad row scores 0 for all, which is no advantage within
its group, and is logged; without workers `RuntimeError` is raised.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .rows import opens_thinking, target_of
from .scoring import BAD_PROBLEM, FAULT, STATUSES, Item, Rubric, Score, score

__all__ = ["RewardFunction", "make_reward_func", "response_of", "results", "reward_func"]

log = logging.getLogger(__name__)
#: A prompt that was cut on the left to fit is recognised by so many characters of its end.
TAIL = 64


@dataclass(frozen=True)
class RewardFunction:
    """``reward_func`` with a rubric; picklable, usable from threads."""

    rubric: Rubric
    eos_tokens: tuple[str, ...] = ()

    def items(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]
    ) -> list[Item]:
        """Raises `ValueError` if the lists differ in length, or a query lacks its prompt."""
        if not len(queries) == len(prompts) == len(labels):
            raise ValueError("queries, prompts and labels must be of the same length")
        items = []
        for query, prompt, label in zip(queries, prompts, labels, strict=True):
            text = response_of(query, prompt)
            ended = not self.eos_tokens or text.rstrip().endswith(self.eos_tokens)
            thinking = opens_thinking(prompt, self.rubric.think_tags[0])
            items.append(Item(text, *target_of(label), truncated=not ended, thinking=thinking))
        return items

    def __call__(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]
    ) -> dict[str, Any]:
        scores = score(self.items(queries, prompts, labels), self.rubric)
        return results(scores, labels)


def make_reward_func(*, eos_tokens: Sequence[str] = (), **rubric: Any) -> RewardFunction:
    """A ``reward_func``; a response that ends in none of ``eos_tokens`` (if given) is truncated.

    ``rubric`` are fields of `scoring.Rubric`, except for lengths, which OpenRLHF does not tell.
    """
    made = Rubric(**rubric)
    if made.length is not None:
        raise ValueError("OpenRLHF does not tell lengths; use its own length penalties")
    if isinstance(eos_tokens, str):
        raise TypeError("eos_tokens must be a list")
    return RewardFunction(made, tuple(eos_tokens))


_DEFAULT = RewardFunction(Rubric())


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]
) -> dict[str, Any]:
    """1 for a box with a proven antiderivative of the label, else 0."""
    return _DEFAULT(queries, prompts, labels)


def response_of(query: str, prompt: str) -> str:
    """What follows the prompt in a query.

    The tokenizer may have put a token before the prompt, changed its spaces, or cut its beginning;
    raises `ValueError` where the prompt cannot be found, because to guess might be to grade it.
    """
    if not prompt.strip():
        return query
    at = query.find(prompt)
    if at >= 0:
        return query[at + len(prompt) :]
    # Not `rfind`: a response may repeat the prompt, but it cannot come before it.
    for part in (prompt, prompt[-TAIL:]):
        loose = r"\s*".join(re.escape(word) for word in part.split())
        if found := re.search(loose, query):
            return query[found.end() :]
    raise ValueError("a query does not contain its prompt, so its response cannot be told apart")


def results(scores: Sequence[Score], labels: Sequence[Any]) -> dict[str, Any]:
    """The reply to OpenRLHF, which is plain JSON."""
    if any(each.status == FAULT for each in scores):
        raise RuntimeError("no workers to score completions with; the log says why")
    for each, label in zip(scores, labels, strict=True):
        if each.status == BAD_PROBLEM:
            detail = each.verdict.evidence.detail
            log.warning("bad label %.200r scores 0: %s", label, detail)
    rewards = [each.reward or 0.0 for each in scores]
    correct = [float(each.status == "correct") for each in scores]
    logs: Mapping[str, list[float]] = {
        # The same names every time: OpenRLHF concatenates them over a batch.
        f"is_{status}": [float(each.status == status) for each in scores]
        for status in STATUSES
    }
    return {"rewards": rewards, "scores": correct, "extra_logs": logs}
