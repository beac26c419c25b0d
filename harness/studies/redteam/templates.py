"""Generators from ``templates.toml``: formulas and texts with placeholders for drawn numbers."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ....benchmarks.hashed_random import HashedRandom
from .antiderivatives import SCALES
from .case import GENERATORS, Case, generator

_FILE = Path(__file__).with_name("templates.toml")
TEMPLATES: dict[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
_INTEGER = {"n": "integer"}


def fill(rng: HashedRandom, *texts: str) -> tuple[str, ...]:
    """Replace the placeholders in texts by random numbers. Equal placeholders get equal numbers."""
    m, d = rng.integer(2, 9), rng.integer(40, 400)
    k = rng.choice(SCALES)
    numbers = {"<k>": k, "<2k>": 2 * k, "<3k>": 3 * k, "<k-1>": k - 1, "<d>": d}
    numbers |= {"<m>": m, "<m+1>": m + 1, "<m^2>": m * m}
    for name, number in numbers.items():
        texts = tuple(text.replace(name, str(number)) for text in texts)
    return texts


def _filled(name: str, is_right: bool, pairs: Sequence[Sequence[str]], rng: HashedRandom) -> Case:
    index = rng.below(len(pairs))
    integrand, completion = fill(rng, *pairs[index])
    assumed = _INTEGER if index in TEMPLATES["integer_n"].get(name, ()) else {}
    return Case(integrand, completion, is_right, f"{name}, template {index}", assumed)


@generator
def horner(rng: HashedRandom) -> Case:
    """Make a case with a wrong answer: a Taylor polynomial instead of the right function.

    The polynomial has a degree of 60 to 160. It is in Horner's form, so that no single term shows
    the degree.
    """
    name, lowest, step = rng.choice((("e^x", 0, 1), (r"\cos x", 1, 2), (r"\cosh x", 1, 2)))
    text = "1"
    for degree in reversed(range(lowest + step, rng.integer(60, 160), step)):
        divisor = degree if step == 1 else degree * (degree - 1)
        sign = "-" if name == r"\cos x" else "+"
        text = rf"1{sign}\frac{{{'x' if step == 1 else 'x^2'}}}{{{divisor}}}\left({text}\right)"
    return Case(name, text if step == 1 else rf"x\left({text}\right)", False, "a polynomial")


for _is_right, _table in ((False, "wrong"), (True, "right")):
    for _name, _pairs in TEMPLATES[_table].items():
        GENERATORS[_name] = partial(_filled, _name, _is_right, _pairs)
