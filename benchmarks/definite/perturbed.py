"""Perturbations of the bank's integrals; each problem names the original.

In the spirit of AntiderivBench's perturbed subsets: the method of solution stays the same, or needs
a further step.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from ...rewards import verify_equivalent
from ...rewards.reading.expression.build import ONE, ZERO, add, div, mul, neg, number, power
from ...rewards.reading.expression.traversal import nodes_of, substitute
from ...rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ...rewards.reading.latex import to_latex
from ..hashed_random import HashedRandom
from ..problem import Parent, Problem
from ..registry import benchmark
from .bank import SOURCE, DefiniteEntry, entries
from .integrals import Limit, ValuedIntegral, problem

#: Factors of the subset ``scaled``.
FACTORS: tuple[Expression, ...] = (
    number(2),
    number(3),
    number(5),
    Call("div", (ONE, number(2))),
    Call("pi"),
)


def _scaled_limit(limit: Limit, factor: Expression) -> Limit:
    return limit if isinstance(limit, int) else div(limit, factor)


def scale(integral: ValuedIntegral, factor: Expression, *, keep_value: bool) -> ValuedIntegral:
    """The integral of f(c x), over the limits divided by c; times c to keep the value.

    Args:
        integral: the integral of f.
        factor: c, which is positive.
        keep_value: multiply the integrand by c; otherwise the value is divided by c.

    """
    x = Symbol(integral.variable)
    inner = mul(factor, x)
    lower, upper = (_scaled_limit(limit, factor) for limit in integral.limits)
    scaled = integral.substituted(inner, factor if keep_value else ONE, lower, upper)
    return scaled if keep_value else scaled.with_value_times(div(ONE, factor))


# --- substitutions: x = g(t), by what the limits and the integrand permit ---

_ALGEBRAIC = frozenset("add mul neg div pow sqrt root pi e".split())
_OSCILLATING = frozenset("sin cos tan bessel_j".split())


def substitutions(integral: ValuedIntegral) -> list[str]:
    """Names of the substitutions in `SUBSTITUTIONS` with the integral's limits in their range."""
    if integral.principal_value:
        return []
    functions = {node.function for node in nodes_of(integral.integrand) if isinstance(node, Call)}
    match integral.limits:
        case (Number(numerator=0), 1):
            names = ["square"]
            if not functions & _OSCILLATING:
                names.append("reciprocal")
            if functions <= _ALGEBRAIC | {"ln"}:
                names.append("exponential")
            return names
        case (Number(numerator=0), _):
            return ["square", "reflection"]
        case (-1, 1):
            return ["hyperbolic"] if functions <= _ALGEBRAIC else []
        case (lower, upper) if not isinstance(lower, int) and not isinstance(upper, int):
            return ["reflection"]
    return []


def _square(integral: ValuedIntegral) -> ValuedIntegral:
    t, upper = Symbol(integral.variable), integral.upper
    end = upper if isinstance(upper, int) else Call("sqrt", (upper,))
    return integral.substituted(power(t, number(2)), mul(number(2), t), ZERO, end)


def _reciprocal(integral: ValuedIntegral) -> ValuedIntegral:
    t = Symbol(integral.variable)
    return integral.substituted(div(ONE, t), div(ONE, power(t, number(2))), ZERO, 1)


def _exponential(integral: ValuedIntegral) -> ValuedIntegral:
    exponential = Call("exp", (Symbol(integral.variable),))
    substituted = integral.substituted(exponential, exponential, -1, 1)
    return replace(substituted, integrand=_with_folded_exponentials(substituted.integrand))


def _with_folded_exponentials(tree: Expression) -> Expression:
    """The tree with e^{ct} for (e^t)^c, and t for ln(e^t)."""
    if not isinstance(tree, Call):
        return tree
    args = tuple(map(_with_folded_exponentials, tree.args))
    base = args[0] if args else None
    if isinstance(base, Call) and base.function == "exp":
        if tree.function == "pow":
            return Call("exp", (mul(args[1], base.args[0]),))
        if tree.function == "sqrt":
            return Call("exp", (div(base.args[0], number(2)),))
        if tree.function == "ln":
            return base.args[0]
    return Call(tree.function, args)


def _hyperbolic(integral: ValuedIntegral) -> ValuedIntegral:
    t = Symbol(integral.variable)
    return integral.substituted(Call("sinh", (t,)), Call("cosh", (t,)), -1, 1)


def _reflection(integral: ValuedIntegral) -> ValuedIntegral:
    lower, upper = integral.limits
    if isinstance(lower, int) or isinstance(upper, int):
        raise ValueError("a reflection needs finite limits")
    inner = add(lower, upper, neg(Symbol(integral.variable)))
    return integral.substituted(inner, ONE, lower, upper)


SUBSTITUTIONS: dict[str, Callable[[ValuedIntegral], ValuedIntegral]] = {
    "square": _square,
    "reciprocal": _reciprocal,
    "exponential": _exponential,
    "hyperbolic": _hyperbolic,
    "reflection": _reflection,
}


# --- parity, for other limits ---


@cache
def parity(entry: DefiniteEntry) -> int:
    """+1 for an even integrand over [0, b], -1 for an odd integrand, else 0."""
    integral = entry.parsed
    if integral.lower != ZERO or integral.principal_value or integral.value is None:
        return 0
    mirrored = substitute(integral.integrand, integral.variable, neg(Symbol(integral.variable)))
    for sign in (1, -1):
        tree = mirrored if sign > 0 else neg(mirrored)
        verdict = verify_equivalent(
            rf"\boxed{{{to_latex(tree)}}}", to_latex(integral.integrand), variable=integral.variable
        )
        if verdict.correct and (sign > 0 or integral.upper != 1):
            return sign
    return 0


# --- the subsets ---


@cache
def _with_parity() -> tuple[DefiniteEntry, ...]:
    return tuple(entry for entry in entries() if parity(entry))


@cache
def _plain() -> tuple[DefiniteEntry, ...]:
    """Entries without parameters."""
    return tuple(entry for entry in entries() if not entry.parsed.parameters)


@cache
def _with_parameters() -> tuple[DefiniteEntry, ...]:
    return tuple(entry for entry in entries() if entry.parsed.parameters)


@cache
def _substitutable() -> tuple[DefiniteEntry, ...]:
    return tuple(entry for entry in entries() if substitutions(entry.parsed))


@cache
def _pairs() -> tuple[tuple[DefiniteEntry, DefiniteEntry], ...]:
    """Each convergent entry without parameters, with the next such entry over the same limits."""
    groups: dict[tuple[Limit, Limit], list[DefiniteEntry]] = {}
    for entry in _plain():
        if entry.parsed.value is not None and not entry.parsed.principal_value:
            groups.setdefault(entry.parsed.limits, []).append(entry)
    return tuple(
        pair
        for group in groups.values()
        if len(group) > 1
        for pair in itertools.pairwise([*group, group[0]])
    )


def _perturbed(
    entry: DefiniteEntry, subset: str, integral: ValuedIntegral, *partners: DefiniteEntry
) -> Problem:
    return problem(
        integral,
        f"{entry.id}-{subset}",
        subset,
        parents=tuple(
            Parent(parent.id, role) for parent, role in zip((entry, *partners), "fg", strict=False)
        ),
        pair_parent=entry.id,
        perturbation=subset,
        metadata={"technique": entry.technique, "difficulty": entry.difficulty},
    )


@benchmark("definite/scaled", source=SOURCE, size=lambda: len(entries()), task="definite_integral")
def scaled(seed: int, index: int) -> Problem:
    """The bank with the variable scaled by a number: the value stays."""
    entry = entries()[index]
    factor = HashedRandom("definite/scaled", seed, entry.id).choice(FACTORS)
    return _perturbed(entry, "scaled", scale(entry.parsed, factor, keep_value=True))


@benchmark(
    "definite/parameter", source=SOURCE, size=lambda: len(_plain()), task="definite_integral"
)
def parameter(seed: int, index: int) -> Problem:
    """Integrals of f(p x) with a positive parameter p."""
    entry = _plain()[index]
    return _perturbed(entry, "parameter", scale(entry.parsed, Symbol("p"), keep_value=False))


@benchmark(
    "definite/number", source=SOURCE, size=lambda: len(_with_parameters()), task="definite_integral"
)
def number_for_parameter(seed: int, index: int) -> Problem:
    """Integrals with numbers in place of parameters."""
    entry = _with_parameters()[index]
    choices = HashedRandom("definite/number", seed, entry.id).shuffled(range(2, 8))
    values = {
        name: number(choice) for name, choice in zip(entry.parsed.parameters, choices, strict=False)
    }
    return _perturbed(entry, "number", entry.parsed.specialised(values))


@benchmark(
    "definite/limits", source=SOURCE, size=lambda: len(_with_parity()), task="definite_integral"
)
def limits(seed: int, index: int) -> Problem:
    """Integrals of even and odd functions over limits symmetric about zero."""
    entry = _with_parity()[index]
    integral = entry.parsed
    upper = integral.upper
    lower = -upper if isinstance(upper, int) else neg(upper)
    factor = number(2) if parity(entry) > 0 else ZERO
    extended = replace(integral, lower=lower).with_value_times(factor)
    return _perturbed(entry, "limits", extended)


@benchmark(
    "definite/substituted",
    source=SOURCE,
    size=lambda: len(_substitutable()),
    task="definite_integral",
)
def substituted(seed: int, index: int) -> Problem:
    """The bank's integrals after a substitution: the value stays."""
    entry = _substitutable()[index]
    names = substitutions(entry.parsed)
    name = HashedRandom("definite/substituted", seed, entry.id).choice(names)
    return _perturbed(entry, "substituted", SUBSTITUTIONS[name](entry.parsed))


@benchmark("definite/lin_comb", source=SOURCE, size=lambda: len(_pairs()), task="definite_integral")
def lin_comb(seed: int, index: int) -> Problem:
    """Linear combinations of two integrands over the same limits."""
    entry, partner = _pairs()[index]
    random = HashedRandom("definite/lin_comb", seed, entry.id)
    a, b = (number(random.integer(-5, 5, nonzero=True)) for _ in range(2))
    f, g = entry.parsed, partner.parsed
    g_of_x = substitute(g.integrand, g.variable, Symbol(f.variable))
    if f.value is None or g.value is None:
        raise ValueError("a divergent integral has no part in a combination")
    combined = replace(
        f,
        integrand=add(mul(a, f.integrand), mul(b, g_of_x)),
        value=add(mul(a, f.value), mul(b, g.value)),
    )
    return _perturbed(entry, "lin_comb", combined, partner)
