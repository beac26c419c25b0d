"""Our terms as SymPy expressions, and equal random walks in both systems for comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from calculus_harness.benchmarks.algebra.normal_form import UnusableFormulaError
from calculus_harness.benchmarks.derivations.expressions.terms import (
    add,
    apply,
    cos,
    derivative,
    divide,
    exp,
    integral,
    log,
    mul,
    negative,
    number,
    power,
    sin,
    symbol,
)
from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol

_CLASSES = {
    "add": sympy.Add,
    "mul": sympy.Mul,
    "pow": sympy.Pow,
    "derivative": sympy.Derivative,
    "integral": sympy.Integral,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "exp": sympy.exp,
    "ln": sympy.log,
}


def as_sympy(term: Expression) -> Any:
    """Built with SymPy's own evaluation."""
    if isinstance(term, Number):
        return sympy.Rational(term.numerator, term.denominator)
    if isinstance(term, Symbol):
        return sympy.Symbol(term.name)
    if term == Call("e"):
        return sympy.E
    args = [as_sympy(arg) for arg in term.args]
    return (_CLASSES.get(term.function) or sympy.Function(term.function))(*args)


Pair = tuple[Expression, Any]


def walks(seed: int, length: int = 8) -> Iterator[Pair]:
    """The same random operations by our constructors and by SymPy's."""
    rng = HashedRandom("terms", seed)
    names = rng.shuffled("abcxyz")[:3]
    letters: list[Pair] = [(symbol(name), sympy.Symbol(name)) for name in names]
    args = letters[: 1 + rng.below(2)]
    function = apply("f", *(a for a, _ in args)), sympy.Function("f")(*(b for _, b in args))
    pool = [*letters, function, *((number(n), sympy.Integer(n)) for n in (-1, 1, 2))]
    binary = {
        "+": (add, lambda a, b: a + b),
        "-": (lambda a, b: add(a, negative(b)), lambda a, b: a - b),
        "*": (mul, lambda a, b: a * b),
        "/": (divide, lambda a, b: a / b),
        "^": (power, lambda a, b: a**b),
    }
    unary = {"sin": sin, "cos": cos, "exp": exp, "log": log}
    for _ in range(length):
        # Recent terms are preferred, for deep terms; any term is the second operand.
        (a, b), (c, d) = rng.choice(pool[-5:]), rng.choice(pool)
        v, w = rng.choice(letters)
        name = rng.choice((*binary, *unary, "diff", "int"))
        if name == "^" and len(str(d)) > 2:
            continue
        try:
            if name in binary:
                ours, theirs = binary[name]
                pair = ours(a, c), theirs(b, d)
            elif name in unary:
                pair = unary[name](a), getattr(sympy, name)(b)
            elif name == "diff":
                pair = derivative(a, v), sympy.diff(b, w, evaluate=False)
            else:
                pair = integral(a, v), sympy.Integral(b, w)
        except UnusableFormulaError:
            continue
        # SymPy evaluates some formulas to constants that our terms lack.
        if pair[1].has(sympy.zoo, sympy.nan, sympy.I, sympy.pi) or len(str(pair[1])) > 300:
            continue
        pool.append(pair)
        yield pair
