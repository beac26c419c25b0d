"""Reward function for OpenRLHF: ``reward_func``, in a file for ``--reward.remote_url``.

    # my_reward.py
    from calculus_harness.rewards.adapters.for_openrlhf import make_reward_func
    reward_func = make_reward_func(components=["correctness", "format"], eos_tokens=["<|im_end|>"])

A row's label is the integrand (or the target of another task), or a JSON object. The object has
``integrand``, ``integral`` or ``target``, and may have ``variable``, ``assumptions``, ``task``.
With ``task="mixed"`` each row has its own task.

OpenRLHF 0.11 (``openrlhf/utils/agent.py``) calls the function from threads. Queries contain prompt
and response with special tokens. In the result, ``rewards`` become the reward, ``scores`` are for
dynamic filtering, and ``extra_logs`` are numbers for each sample.

The response is the text after the prompt. No text of the prompt counts as an answer. OpenRLHF has
no value for "no opinion". If a row is bad, all its completions score 0, so that no completion has
an advantage. The row is logged. The wall clock may end the judgement of a completion twice. The
completion's reward is then the mean of the other rewards in the call that have the same label. This
case is logged, too. `NoOpinionError` is raised if there are no such other rewards, or no workers.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .rows import opens_thinking, target_of, warn_once
from .scoring import Rollout, Rubric, Score, numbers, score, telemetry

__all__ = ["RewardFunction", "make_reward_func", "reward_func"]

log = logging.getLogger(__name__)
#: The number of final characters by which a prompt is recognised that was cut on the left.
TAIL = 64
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class RewardFunction:
    r"""``reward_func`` with a rubric. The function can be pickled and called from threads.

    Attributes:
        rubric: the rubric.
        eos_tokens: the tokens that end a response, as text. If there are none, no response counts
            as truncated.

    >>> reward = RewardFunction(Rubric(workers=1))
    >>> reward([r"Integrate 2x. $\boxed{x^2}$"], ["Integrate 2x."], ["2x"])["rewards"]
    [1.0]

    """

    rubric: Rubric
    eos_tokens: tuple[str, ...] = ()

    def rollouts(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]
    ) -> list[Rollout]:
        """Convert queries to rollouts.

        Args:
            queries: texts, each a prompt followed by the response.
            prompts: the prompts.
            labels: the targets.

        Returns:
            A rollout for each query.

        Raises:
            ValueError: the lists differ in length.

        """
        if not len(queries) == len(prompts) == len(labels):
            raise ValueError("queries, prompts and labels must be of the same length")
        rollouts = []
        for query, prompt, label in zip(queries, prompts, labels, strict=True):
            response = response_of(query, prompt)
            if response is None:
                # OpenRLHF would continue after an exception here, and fail later for another
                # reason.
                warn_once(log, "a query lacks its prompt, and scores 0: %.200r", prompt)
            text = response or ""
            ended = not self.eos_tokens or text.rstrip().endswith(self.eos_tokens)
            thinking = opens_thinking(prompt, self.rubric.think_tags[0])
            rollouts.append(
                Rollout(text, **target_of(label)._asdict(), truncated=not ended, thinking=thinking)
            )
        return rollouts

    def __call__(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]
    ) -> dict[str, Any]:
        rollouts = self.rollouts(queries, prompts, labels)
        return results(rollouts, score(rollouts, self.rubric), labels, self.rubric)


def make_reward_func(*, eos_tokens: Sequence[str] = (), **rubric: Any) -> RewardFunction:
    r"""Make a ``reward_func`` for OpenRLHF.

    Args:
        eos_tokens: the tokens that end a response, as text. A response that ends otherwise counts
            as truncated. If there are no tokens, no response counts as truncated.
        rubric: fields of `scoring.Rubric`, except ``length``: OpenRLHF does not pass lengths.

    Returns:
        The function; it can be pickled and called from threads.

    Raises:
        ValueError: a field has a bad value, or ``length`` is given.
        TypeError: a field is unknown, or is a string instead of a list.

    Example:
        >>> reward = make_reward_func(eos_tokens=["<|im_end|>"], workers=1)
        >>> query = r"Integrate 2x. It is $\boxed{x^2}$.<|im_end|>"
        >>> reward([query], ["Integrate 2x."], ["2x"])["rewards"]
        [1.0]

    """
    made_rubric = Rubric(**rubric)
    if made_rubric.length is not None:
        raise ValueError("OpenRLHF does not tell lengths; use its own length penalties")
    if isinstance(eos_tokens, str):
        raise TypeError("eos_tokens must be a list")
    return RewardFunction(made_rubric, tuple(eos_tokens))


_DEFAULT = RewardFunction(Rubric())


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]
) -> dict[str, Any]:
    r"""The default reward: 1 if the verifier accepts the box as an antiderivative of the label,
    else 0.

    Args:
        queries: texts. Each is a prompt, its response and special tokens.
        prompts: the prompts.
        labels: the integrands, or JSON objects with ``integrand``, ``variable``, ``assumptions``.

    Returns:
        ``rewards``, ``scores`` (1 for a correct answer, else 0) and ``extra_logs``.

    Raises:
        ValueError: the lists have different lengths.
        NoOpinionError: no worker can be started, or every completion of a label exceeded the limit
            of wall-clock time. `NoOpinionError` is a subclass of `RuntimeError`.

    Example:
        >>> reward_func([r"Integrate 2x. $\boxed{x^2}$"], ["Integrate 2x."], ["2x"])["scores"]
        [1.0]

    """
    return _DEFAULT(queries, prompts, labels)


def response_of(query: str, prompt: str) -> str | None:
    """Find the response in a query. The response is the text after the prompt.

    The result is None if the query does not contain the prompt. The prompt is also found if the
    tokenizer has added a token before it, changed its spaces, or cut off its beginning.
    The function never guesses where the prompt ends. A wrong guess could make text of the prompt
    count as an answer. The work is linear in the query's length.

    Args:
        query: prompt and response, with special tokens.
        prompt: the prompt.

    >>> response_of("<s>Integrate 2x. It is x^2.", "Integrate 2x.")
    ' It is x^2.'

    """
    if not prompt.strip():
        return query
    # Search from the left, as a response may repeat the prompt.
    at = query.find(prompt)
    if at >= 0:
        return query[at + len(prompt) :]
    # Compare without white space, which the tokenizer may change; the prompt's end in the query is
    # found by counting other characters.
    dense = "".join(query.split())
    for ending in (prompt, prompt[-TAIL:]):
        dense_ending = "".join(ending.split())
        at = dense.find(dense_ending)
        if at >= 0:
            return _after(query, at + len(dense_ending))
    return None


def _after(text: str, count: int) -> str:
    """The rest of a text after its first ``count`` characters, not counting white space."""
    for word in _WORD.finditer(text):
        if count <= len(word[0]):
            return text[word.start() + count :]
        count -= len(word[0])
    return ""


def results(
    rollouts: Sequence[Rollout], scores: Sequence[Score], labels: Sequence[Any], rubric: Rubric
) -> dict[str, Any]:
    """Make the reply to OpenRLHF, as plain JSON."""
    rewards = numbers(scores, [str(label) for label in labels])
    correct = [float(scored.status == "correct") for scored in scores]
    # The same names every time: OpenRLHF concatenates values over a batch.
    rows = [
        telemetry(scored, rubric, truncated=rollout.truncated)
        for rollout, scored in zip(rollouts, scores, strict=True)
    ]
    logs = {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
    return {"rewards": rewards, "scores": correct, "extra_logs": logs}
