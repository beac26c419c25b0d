"""Beam search against enumeration of all texts, over random little models of language."""

from __future__ import annotations

import asyncio
import itertools
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.harness.models.vllm.beams import Hypothesis, beam_search

END, LETTERS, LENGTH = 0, (1, 2), 4


class Language:
    """Log-probabilities of the next of three tokens, drawn anew after every beginning."""

    def __init__(self, seed: int) -> None:
        self.seed, self.asked = seed, 0

    def following(self, tokens: Sequence[int]) -> dict[int, float]:
        chance = random.Random(f"{self.seed} {list(tokens)}")
        weights = [chance.random() ** 3 + 1e-3 for _ in range(3)]
        return {token: math.log(w / sum(weights)) for token, w in enumerate(weights)}

    async def extend(self, tokens: Sequence[int]) -> dict[int, float]:
        self.asked += 1
        await asyncio.sleep(0)
        return self.following(tokens)

    def search(self, width: int, **settings: object) -> list[Hypothesis]:
        search = beam_search(
            self.extend,
            width=width,
            max_tokens=LENGTH,
            ends={END},
            **settings,  # type: ignore[arg-type]
        )
        return asyncio.run(search)

    def everything(self) -> list[Hypothesis]:
        """All texts of the language: ended texts, and texts cut off by the limit."""
        beams = []
        for length in range(LENGTH + 1):
            for letters in itertools.product(LETTERS, repeat=length):
                tokens = letters if length == LENGTH else (*letters, END)
                logprobs = tuple(
                    self.following(tokens[:at])[token] for at, token in enumerate(tokens)
                )
                beams.append(Hypothesis(tokens, logprobs, ended=length < LENGTH))
        return beams


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.integers(1, 31))
def test_a_beam_that_holds_everything_finds_the_best(seed: int, penalty: float, count: int) -> None:
    language = Language(seed)
    beams = language.search(31, penalty=penalty, early=False)
    best = sorted(language.everything(), key=lambda beam: -beam.score(penalty))
    assert [beam.tokens for beam in beams[:count]] == [beam.tokens for beam in best[:count]]
    assert [beam.ended for beam in beams] == [beam.ended for beam in best]
    assert sum(math.exp(beam.logprob) for beam in beams) == pytest.approx(1)


@given(st.integers(0, 10_000))
def test_width_one_goes_on_with_the_likeliest_until_a_text_ends(seed: int) -> None:
    language = Language(seed)
    (beam,) = language.search(1)
    tokens: tuple[int, ...] = ()
    while len(tokens) < LENGTH:
        nexts = language.following(tokens)
        # Of the two best extensions one may be the end: it is then the hypothesis, and enough.
        if END in sorted(nexts, key=lambda token: -nexts[token])[:2]:
            assert beam.tokens == (*tokens, END)
            return
        tokens = (*tokens, max(LETTERS, key=lambda token: nexts[token]))
    assert beam.tokens == tokens
    assert not beam.ended


@given(st.integers(0, 10_000), st.integers(1, 8))
def test_hypotheses_are_ranked_different_and_stop_early(seed: int, width: int) -> None:
    early, late = Language(seed), Language(seed)
    beams = early.search(width)
    assert len(beams) == width
    assert len({beam.tokens for beam in beams}) == width
    scores = [beam.score(1) for beam in beams]
    assert scores == sorted(scores, reverse=True)
    unhurried = late.search(width, early=False)
    assert early.asked <= late.asked
    assert unhurried[0].score(1) >= scores[0]
    logprobs = {beam.tokens: beam.logprobs for beam in early.everything()}
    assert all(logprobs[beam.tokens] == beam.logprobs for beam in beams)


def test_another_reason_to_stop_ends_a_text_like_the_end() -> None:
    language = Language(7)
    beams = language.search(3, stopped=lambda tokens: tokens[-1] == 2, early=False)
    assert beams
    assert all(2 not in beam.tokens[:-1] for beam in beams)
    assert all(beam.ended for beam in beams if beam.tokens[-1] in (END, 2))
