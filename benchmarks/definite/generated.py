"""Unlimited fresh definite integrals: from random antiderivatives, from families, and disguised."""

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
from .integrals import ValuedIntegral, parse, problem
from .perturbed import SUBSTITUTIONS, substitutions


@dataclass(frozen=True, slots=True)
class IntegralFamily:
    """A row of the data file: an integral with integer parameters; formulas are LaTeX.

    Attributes:
        integral: the integral.
        value: the value.
        bounds: the range of each parameter.
        holds: the condition on a and b, a key of `_HOLDS`.

    """

    integral: str
    value: str
    bounds: dict[str, tuple[int, int]]
    holds: str = ""

    def allows(self, values: dict[str, int]) -> bool:
        """Whether the parameters' values satisfy the condition."""
        return not self.holds or _HOLDS[self.holds](values["a"], values["b"])


_HOLDS: dict[str, Callable[[int, int], bool]] = {"a > b": operator.gt, "a != b": operator.ne}


@cache
def families_known() -> tuple[IntegralFamily, ...]:
    """The rows of the data file, in order."""
    text = Path(__file__).with_name("families.jsonl").read_text(encoding="utf-8")
    return tuple(IntegralFamily(**json.loads(line)) for line in text.splitlines())


@cache
def _parsed(index: int) -> ValuedIntegral:
    family = families_known()[index]
    return parse(family.integral, family.value)


def _drawn(random: HashedRandom) -> tuple[ValuedIntegral, int]:
    """A random member of a random family, and the family's index."""
    index = random.below(len(families_known()))
    family = families_known()[index]
    while True:
        values = {name: random.integer(*bounds) for name, bounds in family.bounds.items()}
        if family.allows(values):
            break
    numbers = {name: number(value) for name, value in values.items()}
    return _parsed(index).specialised(numbers), index


@benchmark("definite/families", source=SOURCE, size=200, task="definite_integral", endless=True)
def families(seed: int, index: int) -> Problem:
    """Members of families with known values, endless."""
    integral, family = _drawn(HashedRandom("definite/families", seed, index))
    return problem(integral, f"families-s{seed}-{index}", "families", metadata={"family": family})


@benchmark("definite/disguised", source=SOURCE, size=200, task="definite_integral", endless=True)
def disguised(seed: int, index: int) -> Problem:
    """Members of the families after a substitution, endless."""
    random = HashedRandom("definite/disguised", seed, index)
    while True:
        integral, family = _drawn(random)
        names = substitutions(integral)
        if names:
            break
    name = random.choice(names)
    return problem(
        SUBSTITUTIONS[name](integral),
        f"disguised-s{seed}-{index}",
        "disguised",
        metadata={"family": family, "substitution": name},
    )


#: Settings of the random functions to differentiate, and the number of ranges to try.
SETTINGS = GeneratorSettings(max_operators=5)
RANGES: tuple[tuple[Expression, Expression], ...] = (
    (number(0), number(1)),
    (number(1), number(2)),
    (number(1), number(4)),
    (number(2), number(5)),
    (number(0), Call("div", (Call("pi"), number(2)))),
)
#: The number of draws per address.
_DRAWS = 64


@benchmark(
    "definite/antiderivatives", source=SOURCE, size=200, task="definite_integral", endless=True
)
def antiderivatives(seed: int, index: int) -> Problem:
    """Derivatives of random functions over ranges of continuity, endless."""
    random = HashedRandom("definite/antiderivatives", seed, index)
    for draw in range(_DRAWS):
        pair = make("bwd", seed, index * _DRAWS + draw, SETTINGS)
        primitive = pair.antiderivative_tree
        for lower, upper in random.shuffled(RANGES):
            value = add(substitute(primitive, "x", upper), neg(substitute(primitive, "x", lower)))
            integral = ValuedIntegral(pair.integrand_tree, "x", lower, upper, value)
            if _is_proven(integral):
                return problem(integral, f"antiderivatives-s{seed}-{index}", "antiderivatives")
    raise ValueError(f"no definite integral at seed {seed}, index {index}")


def _is_proven(integral: ValuedIntegral) -> bool:
    try:
        box = rf"\boxed{{{integral.value_latex}}}"
        return verify_definite_integral(box, integral.latex).correct
    except ProblemError:  # the integrand is not real over the whole range
        return False
