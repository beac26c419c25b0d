"""Unlimited fresh definite integrals: of random antiderivatives, of families, disguised ones."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...rewards import ProblemError, verify_definite_integral
from ...rewards.reading.expression.build import add, neg, number
from ...rewards.reading.expression.traversal import substitute
from ...rewards.reading.expression.tree import Call, Expression
from ..hashed_random import HashedRandom
from ..lample_charton.generators import GeneratorSettings
from ..lample_charton.pairs import make
from ..problem import Problem
from ..registry import benchmark
from .bank import SOURCE
from .integrals import Integral, parse, problem
from .perturbed import SUBSTITUTIONS, substitutions


@dataclass(frozen=True, slots=True)
class Family:
    """One row of the data file: an integral with whole-number parameters; formulas are LaTeX.

    Attributes:
        integral: the integral.
        value: its value.
        bounds: the range of each parameter.
        holds: which values of a and b are allowed together, a key of `_HOLDS`.

    """

    integral: str
    value: str
    bounds: dict[str, tuple[int, int]]
    holds: str = ""

    def allows(self, values: dict[str, int]) -> bool:
        """Whether parameters have these values together."""
        return not self.holds or _HOLDS[self.holds](values["a"], values["b"])


_HOLDS: dict[str, Callable[[int, int], bool]] = {"a > b": operator.gt, "a != b": operator.ne}


@cache
def families_known() -> tuple[Family, ...]:
    """The rows of the data file, in order."""
    text = Path(__file__).with_name("families.jsonl").read_text(encoding="utf-8")
    return tuple(Family(**json.loads(line)) for line in text.splitlines())


@cache
def _parsed(place: int) -> Integral:
    family = families_known()[place]
    return parse(family.integral, family.value)


def _drawn(random: HashedRandom) -> tuple[Integral, int]:
    """A random member of a random family, and the family's place."""
    place = random.below(len(families_known()))
    family = families_known()[place]
    while True:
        values = {name: random.integer(*bounds) for name, bounds in family.bounds.items()}
        if family.allows(values):
            break
    numbers = {name: number(value) for name, value in values.items()}
    return _parsed(place).specialised(numbers), place


@benchmark("definite/families", source=SOURCE, size=200, task="definite_integral", endless=True)
def families(seed: int, index: int) -> Problem:
    """Members of families with known values, endless."""
    integral, place = _drawn(HashedRandom("definite/families", seed, index))
    return problem(integral, f"families-s{seed}-{index}", "families", metadata={"family": place})


@benchmark("definite/disguised", source=SOURCE, size=200, task="definite_integral", endless=True)
def disguised(seed: int, index: int) -> Problem:
    """Members of the families after a substitution, endless."""
    random = HashedRandom("definite/disguised", seed, index)
    while True:
        integral, place = _drawn(random)
        names = substitutions(integral)
        if names:
            break
    name = random.choice(names)
    return problem(
        SUBSTITUTIONS[name](integral),
        f"disguised-s{seed}-{index}",
        "disguised",
        metadata={"family": place, "substitution": name},
    )


#: Random functions of this size are differentiated; of each, so many ranges are tried.
SETTINGS = GeneratorSettings(max_operators=5)
RANGES: tuple[tuple[Expression, Expression], ...] = (
    (number(0), number(1)),
    (number(1), number(2)),
    (number(1), number(4)),
    (number(2), number(5)),
    (number(0), Call("div", (Call("pi"), number(2)))),
)
#: Draws beside one another, so that each address has its own.
_DRAWS = 64


@benchmark(
    "definite/antiderivatives", source=SOURCE, size=200, task="definite_integral", endless=True
)
def antiderivatives(seed: int, index: int) -> Problem:
    """Derivatives of random functions over ranges on which they are continuous, endless."""
    random = HashedRandom("definite/antiderivatives", seed, index)
    for draw in range(_DRAWS):
        pair = make("bwd", seed, index * _DRAWS + draw, SETTINGS)
        primitive = pair.antiderivative_tree
        for lower, upper in random.shuffled(RANGES):
            value = add(substitute(primitive, "x", upper), neg(substitute(primitive, "x", lower)))
            integral = Integral(pair.integrand_tree, "x", lower, upper, value)
            if _is_proven(integral):
                return problem(integral, f"antiderivatives-s{seed}-{index}", "antiderivatives")
    raise ValueError(f"no definite integral at seed {seed}, index {index}")


def _is_proven(integral: Integral) -> bool:
    try:
        box = rf"\boxed{{{integral.value_latex}}}"
        return verify_definite_integral(box, integral.latex).correct
    except ProblemError:  # the integrand is not real over the whole range
        return False
