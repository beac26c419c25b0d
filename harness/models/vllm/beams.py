"""Beam search with any engine that returns log-probabilities of the next tokens.

The algorithm of Lample and Charton, "Deep learning for symbolic mathematics" (2020), section 4.4,
and of their code: each step takes the ``2 * width`` best extensions of all beams. Extensions by an
end-of-text token become hypotheses, scored by log-probability divided by ``length ** penalty``; the
best ``width`` remaining extensions are the next beams. The length counts the new tokens, the
end-of-text token included.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

#: The new tokens so far -> the log-probabilities of at least the likeliest next tokens.
Extend = Callable[[Sequence[int]], Awaitable[Mapping[int, float]]]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A generated text: its tokens, and the log-probability of each in nats.

    ``ended`` says whether the model ended the text, not the token limit; the last token is then an
    end-of-text token.
    """

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    ended: bool = False

    @property
    def logprob(self) -> float:
        return sum(self.logprobs)

    def score(self, penalty: float) -> float:
        return self.logprob / float(max(1, len(self.tokens)) ** penalty)


async def beam_search(
    extend: Extend,
    *,
    width: int,
    max_tokens: int,
    ends: Collection[int],
    penalty: float = 1.0,
    early: bool = True,
    stopped: Callable[[Sequence[int]], bool] = lambda tokens: False,
) -> list[Hypothesis]:
    """Search for the best hypotheses.

    Args:
        extend: Returns the next tokens of a beam, at least the ``2 * width`` likeliest. Called for
            all beams of a step at once.
        width: The number of beams, and of hypotheses.
        max_tokens: The largest number of new tokens.
        ends: The tokens that end a text.
        penalty: The exponent of the length in the score.
        early: Stop at ``width`` hypotheses; otherwise stop when the best beam, scored at its
            present length, is no better than the worst hypothesis.
        stopped: Whether tokens end in a stop string.

    Returns:
        The best hypotheses, best first, at most ``width``.

    """
    beams = [Hypothesis((), ())]
    finished: list[Hypothesis] = []
    for _ in range(max_tokens):
        # All beams of a step are extended together, for a common batch of the engine.
        following = await asyncio.gather(*(extend(beam.tokens) for beam in beams))
        extensions = [
            Hypothesis((*beam.tokens, token), (*beam.logprobs, logprob))
            for beam, next_tokens in zip(beams, following, strict=True)
            for token, logprob in next_tokens.items()
        ]
        extensions.sort(key=lambda beam: (-beam.logprob, beam.tokens))
        # 2 * width extensions leave `width` unfinished beams if at most one extension of each beam
        # ends. Ties are broken by tokens, for the same result in every run.
        beams = []
        for beam in extensions[: 2 * width]:
            if beam.tokens[-1] in ends or stopped(beam.tokens):
                finished.append(Hypothesis(beam.tokens, beam.logprobs, ended=True))
            elif len(beams) < width:
                beams.append(beam)
        finished = _best(finished, width, penalty)
        if not beams:
            return finished
        # Longer beams are not expected to improve on the worst hypothesis any more.
        if len(finished) == width and (
            early or beams[0].score(penalty) <= finished[-1].score(penalty)
        ):
            return finished
    return _best([*finished, *beams], width, penalty)


def _best(hypotheses: list[Hypothesis], width: int, penalty: float) -> list[Hypothesis]:
    return sorted(
        hypotheses, key=lambda hypothesis: (-hypothesis.score(penalty), hypothesis.tokens)
    )[:width]
