r"""ODE1 and ODE2 of Lample and Charton (2020, sections 3.2 and 3.3): equations made of solutions.

A random y = f(x, c) that can be solved for c gives c = F(x, y), whose derivative in x, F_x + F_y y'
= 0, is a first-order equation without c. With two constants the same is done twice: c_2 is
eliminated first, and the equation in x, y, y' and c_1 is solved for c_1 and differentiated again.

As in the paper, the leaf that becomes a constant lies where the operators above it can be undone,
equations are simplified, and pairs that are too long or hold no constant are refused. Unlike there,
each pair is proved by the verifier, and the simplifier is this package's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

from ...rewards import ProblemError
from ...rewards.reading.expression.build import ZERO, add, div, mul, neg, power
from ...rewards.reading.expression.derivative import differentiate
from ...rewards.reading.expression.traversal import size, substitute, symbols_of
from ...rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ...rewards.reading.latex import to_latex
from ...rewards.verify.differential_equation import verify_differential_equation
from ..algebra.normal_form import UnusableFormulaError, readable
from ..hashed_random import HashedRandom
from ..lample_charton.algebra.backends import OwnBackend
from ..lample_charton.codec.equations import equation_latex
from ..lample_charton.codec.prefix import PrefixError, Tokens
from ..lample_charton.generators import GeneratorSettings
from ..lample_charton.prefix_forms import prefix_form
from ..problem import Problem
from ..registry import benchmark
from .bank import question
from .differential_equations import REQUEST, TASK

SOURCE = "Lample and Charton 2020, sections 3.2 and 3.3"
#: The paper's trees have up to 15 operators; the equations of larger ones are mostly too long.
_OPERATORS = {1: (2, 8), 2: (2, 6)}
#: Nodes of an equation, for 512 tokens of the paper; attempts at one pair.
_LONGEST, _ATTEMPTS = 120, 400
_Y, _SLOPE, _BEND = Symbol("y"), Symbol("Q_1"), Symbol("Q_2")
_INVERSE: Final[dict[str, str]] = {
    "exp": "ln", "ln": "exp", "sin": "asin", "asin": "sin", "cos": "acos", "acos": "cos",
    "tan": "atan", "atan": "tan", "sinh": "asinh", "asinh": "sinh", "tanh": "atanh",
    "atanh": "tanh",
}  # fmt: skip


def leaves(tree: Expression, undo: Callable[[Expression], bool]) -> Iterator[tuple[int, ...]]:
    """The paths of leaves under invertible operators."""
    if not isinstance(tree, Call) or not tree.args:
        yield ()
        return
    for at, arg in enumerate(tree.args):
        if undo(Call(tree.function, (*tree.args[:at], Symbol("here"), *tree.args[at + 1 :]))):
            for path in leaves(arg, undo):
                yield (at, *path)


def _can_undo(node: Expression) -> bool:
    if node.function == "pow":
        exponent = node.args[1]
        return isinstance(exponent, Number) and exponent != ZERO
    return node.function in ("add", "mul", "div", "neg", "sqrt") or node.function in _INVERSE


def replaced(tree: Expression, path: tuple[int, ...], leaf: Expression) -> Expression:
    """The tree with another leaf at a place."""
    if not path:
        return leaf
    at = path[0]
    inner = replaced(tree.args[at], path[1:], leaf)
    return Call(tree.function, (*tree.args[:at], inner, *tree.args[at + 1 :]))


def solved_for(tree: Expression, name: str, value: Expression) -> Expression:
    """The value of a symbol, from the value of a tree with a single occurrence of the symbol.

    Raises:
        UnusableFormulaError: an operator above the symbol cannot be undone.

    """
    while not (isinstance(tree, Symbol) and tree.name == name):
        # A second occurrence would need more than inverse operations.
        holding = [at for at, arg in enumerate(tree.args) if name in symbols_of(arg)]
        if len(holding) != 1:
            raise UnusableFormulaError("the constant is not there exactly once")
        at = holding[0]
        # Peel the outermost operation off the tree, and apply the inverse operation to the value.
        siblings = [arg for number, arg in enumerate(tree.args) if number != at]
        if tree.function == "add":
            value = add(value, *map(neg, siblings))
        elif tree.function == "mul":
            value = div(value, mul(*siblings) if len(siblings) > 1 else siblings[0])
        elif tree.function == "neg":
            value = neg(value)
        elif tree.function == "div":
            value = mul(value, siblings[0]) if at == 0 else div(siblings[0], value)
        elif tree.function == "sqrt":
            value = power(value, Number(2))
        elif tree.function == "pow" and at == 0 and isinstance(tree.args[1], Number):
            value = Call("pow", (value, div(Number(1), tree.args[1])))
        elif tree.function in _INVERSE:
            value = Call(_INVERSE[tree.function], (value,))
        else:
            raise UnusableFormulaError(f"{tree.function} cannot be undone")
        tree = tree.args[at]
    return value


def _with_constants(random: HashedRandom, count: int) -> Expression:
    """A random formula in x with a number of constants, under invertible operators."""
    low, high = _OPERATORS[count]
    settings = GeneratorSettings(operators=random.integer(low, high))
    tree = readable(settings.tree(random, settings.operators or low))
    for number in range(count, 0, -1):
        name = f"C_{number}" if count > 1 else "C"
        paths = [path for path in leaves(tree, _can_undo) if not _at(tree, path).startswith("C")]
        if not paths:
            raise UnusableFormulaError("no leaf can become a constant")
        tree = replaced(tree, random.choice(paths), Symbol(name))
    if "x" not in symbols_of(tree):
        raise UnusableFormulaError("no variable")
    return tree


def _at(tree: Expression, path: tuple[int, ...]) -> str:
    for at in path:
        tree = tree.args[at]
    return tree.name if isinstance(tree, Symbol) else ""


def _total(tree: Expression) -> Expression:
    """The derivative in x, where y and y' depend on x."""
    terms = [differentiate(tree, "x"), mul(differentiate(tree, "y"), _SLOPE)]
    if _SLOPE.name in symbols_of(tree):
        terms.append(mul(differentiate(tree, _SLOPE.name), _BEND))
    return add(*[term for term in terms if term != ZERO])


def _simplified(tree: Expression) -> Expression:
    backend = OwnBackend()
    return readable(backend.simplify(backend.read(tree), 1))


def first_order(random: HashedRandom) -> tuple[Expression, Expression]:
    """An equation's side that is zero, and the general solution."""
    solution = _with_constants(random, 1)
    constant = solved_for(solution, "C", _Y)
    return _simplified(_total(constant)), solution


def second_order(random: HashedRandom) -> tuple[Expression, Expression]:
    """The same for an equation of second order."""
    solution = _with_constants(random, 2)
    without = _simplified(_total(solved_for(solution, "C_2", _Y)))
    slope = differentiate(without, "C_1")
    if slope != ZERO and "C_1" not in symbols_of(slope):
        constant = neg(div(substitute(without, "C_1", ZERO), slope))
    else:
        constant = solved_for(without, "C_1", ZERO)
    return _simplified(_total(constant)), solution


def _generated(name: str, order: int, seed: int, index: int) -> Problem:
    make = first_order if order == 1 else second_order
    for attempt in range(_ATTEMPTS):
        try:
            equation, solution = make(HashedRandom(f"course/{name}", seed, index, attempt))
            if size(equation) > _LONGEST or _derivatives(order).isdisjoint(symbols_of(equation)):
                continue
            equation_text, answer = equation_latex(equation), f"y = {to_latex(solution)}"
            if not verify_differential_equation(rf"\boxed{{{answer}}}", equation_text).correct:
                continue
        except (ProblemError, UnusableFormulaError, ValueError, RecursionError):
            continue
        id = f"{name}-s{seed}-{index}"
        return question(TASK, name, id, equation_text, answer, REQUEST, metadata={"order": order})
    raise ValueError(f"no {name} at seed {seed}, index {index}")


def _derivatives(order: int) -> set[str]:
    return {_SLOPE.name} if order == 1 else {_BEND.name}


@benchmark("course/ode1", source=SOURCE, size=200, task=TASK, endless=True)
def ode1(seed: int, index: int) -> Problem:
    """First-order equations of random solutions with a constant (ODE1), endless."""
    return _generated("ode1", 1, seed, index)


@benchmark("course/ode2", source=SOURCE, size=200, task=TASK, endless=True)
def ode2(seed: int, index: int) -> Problem:
    """Second-order equations of random solutions with two constants (ODE2), endless."""
    return _generated("ode2", 2, seed, index)


#: The generators of pairs of tokens by their name.
EQUATIONS: Final[dict[str, Callable[[int, int], Problem]]] = {"ode1": ode1, "ode2": ode2}


def token_pairs(name: str, seed: int) -> Iterator[tuple[Tokens, Tokens]]:
    """The prefix tokens of the equations of a seed and of their solutions, endless.

    Args:
        name: ``ode1`` or ``ode2``.
        seed: the seed.

    Returns:
        The pairs; an equation without tokens is left out.

    """
    for index in count():
        problem = EQUATIONS[name](seed, index)
        try:
            equation, solution = prefix_form(problem, "equation"), prefix_form(problem, "solution")
        except PrefixError:
            continue
        yield tuple(equation.split()), tuple(solution.split())
