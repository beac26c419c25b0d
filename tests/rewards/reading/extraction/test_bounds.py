"""The bounds of extraction leave room for every response of ``responses.json``.

The figures in the comments beside the constants are the values on the left here.
"""

from __future__ import annotations

import json
from pathlib import Path

from calculus_harness.rewards.reading.extraction import (
    boxes,
    choose,
    extract,
    judge,
    spans,
    statements,
)
from calculus_harness.rewards.reading.extraction.boxed import placed
from calculus_harness.rewards.reading.extraction.words import vocabulary
from calculus_harness.rewards.reading.extraction.words.tables import patterns

CASES = Path(__file__).parents[2] / "cases" / "responses.json"
RESPONSES = [row["response"] for row in json.loads(CASES.read_text(encoding="utf-8"))]


def sentences(text: str, formulas: list[spans.Span]) -> list[tuple[int, int]]:
    """The characters and the formulas of the sentence before each formula."""
    distances: list[tuple[int, int]] = []
    for number, formula in enumerate(formulas):
        front = text[: formula.start]
        start = max((end.end() for end in patterns.sentence_end.finditer(front)), default=0)
        between = sum(earlier.end > start for earlier in formulas[:number])
        distances.append((len(front) - start, between))
    return distances


def test_no_response_comes_near_the_bounds() -> None:
    answers: list[int] = []
    distances: list[int] = []
    for text in RESPONSES:
        answer = extract(text).answer
        if answer is not None:
            answers.append(len(answer))
            if (at := text.rfind(answer[:15])) >= 0:  # cleaning may have changed its beginning
                distances.append(len(text) - at)
    assert 188 == max(answers) < boxes.LONGEST
    assert 190 == max(distances) < choose.TAIL
    formulas = [spans.spans(text) for text in RESPONSES]
    assert max(map(len, formulas)) == 9 < choose.MAX_FORMULAS
    lengths = sorted(
        sentence
        for text, span in zip(RESPONSES, formulas, strict=True)
        for sentence in sentences(text, span)
    )
    longest = lengths[-1][0]
    assert 197 == longest < min(choose._REACH, placed._SENTENCE, vocabulary.LONGEST / 2)
    counts = sorted(count for _, count in lengths)
    assert counts[len(counts) * 99 // 100] == 3 <= choose._FORMULAS_BACK
    links = [
        len(chain.links)
        for span in formulas
        for formula in span
        for chain in statements.chains(formula.latex)
    ]
    assert max(links) == 5 < judge._MOST_STEPS
