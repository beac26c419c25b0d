"""Beam search over any engine that tells the log-probabilities of the next tokens.

As in Lample and Charton, "Deep learning for symbolic mathematics" (2020), section 4.4, and their
code: in every step the ``2 * width`` best extensions of all beams are looked at; one that ends the
text is a hypothesis, scored by its log-probability divided by ``length ** penalty``; the others are
the next beams, ``width`` of them. The length is that of the new tokens, the end's included.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

#: The tokens so far (without the prompt) -> log-probabilities of at least the likeliest next ones.
Extend = Callable[[Sequence[int]], Awaitable[Mapping[int, float]]]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished text: its tokens, each with its log-probability in nats.

    ``ended`` says whether the model ended it, rather than the limit; the token that did so is then
    the last.
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
    """The ``width`` best hypotheses, best first; fewer only if there are no more.

    ``extend`` is asked for all beams of a step at once, and should tell ``2 * width`` tokens each.
    A text is ended by one of the tokens ``ends``, or where ``stopped`` says so (a stop string, for
    one). The search stops ``early``, once there are ``width`` hypotheses, or else when the best
    beam, scored at its present length, is no better than the worst of them.
    """
    beams = [Hypothesis((), ())]
    finished: list[Hypothesis] = []
    for _ in range(max_tokens):
        following = await asyncio.gather(*(extend(beam.tokens) for beam in beams))
        extensions = [
            Hypothesis((*beam.tokens, token), (*beam.logprobs, logprob))
            for beam, nexts in zip(beams, following, strict=True)
            for token, logprob in nexts.items()
        ]
        extensions.sort(key=lambda found: (-found.logprob, found.tokens))
        beams = []
        for found in extensions[: 2 * width]:
            if found.tokens[-1] in ends or stopped(found.tokens):
                finished.append(Hypothesis(found.tokens, found.logprobs, ended=True))
            elif len(beams) < width:
                beams.append(found)
        finished = _best(finished, width, penalty)
        if not beams:
            return finished
        if len(finished) == width and (
            early or beams[0].score(penalty) <= finished[-1].score(penalty)
        ):
            return finished
    return _best([*finished, *beams], width, penalty)


def _best(found: list[Hypothesis], width: int, penalty: float) -> list[Hypothesis]:
    return sorted(found, key=lambda one: (-one.score(penalty), one.tokens))[:width]
