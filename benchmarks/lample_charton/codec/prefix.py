"""Expression trees to prefix tokens and back; prefix tokens to infix text.

Nothing is evaluated here. Sums and products of many parts are folded to the right, ``add a add b
c``; subtraction is written ``add a mul INT- 1 b`` and division ``mul a pow b INT- 1``, as in the
published data. Reading accepts all operators of the vocabulary. Its input may be hostile: size and
depth are bounded, and nothing is executed.

This module keeps the order of a tree's terms and factors. Published data has SymPy's order
(`benchmarks.lample_charton.codec.sympy_prefix`), which the normal form has, too
(`benchmarks.algebra.normal_form`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeVar

from ....rewards.reading.expression.build import quotient
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ...algebra.normal_form import UnusableFormulaError
from .vocabulary import COEFFICIENTS, DIGITS, OPERATORS, VARIABLES

#: Longer sequences, and deeper trees, are refused.
MAX_TOKENS = 4096
MAX_DEPTH = 200
MAX_DIGITS = 1000

Tokens = tuple[str, ...]
Value = TypeVar("Value")

#: Precedes the integrand in a model's input: y' - f (section 2.7 of the code's README).
MODEL_PREFIX: Tokens = ("sub", "Y'")


class PrefixError(UnusableFormulaError):
    """Tokens that are not a formula, or a formula that has no tokens."""


# --- the input of the sequence integrator ---


def model_input(integrand: Sequence[str]) -> Tokens:
    """A model's input for an integrand: ``sub Y' ...``.

    Args:
        integrand: the integrand's tokens.

    Returns:
        The input's tokens.

    >>> " ".join(model_input(["sin", "x"]))
    "sub Y' sin x"

    """
    return (*MODEL_PREFIX, *integrand)


def integrand_of(tokens: Sequence[str]) -> Tokens:
    """The integrand's tokens in a model's input.

    Raises:
        PrefixError: if the input does not begin with `MODEL_PREFIX`.

    """
    if tuple(tokens[:2]) != MODEL_PREFIX:
        raise PrefixError(f"a model's input must begin with {' '.join(MODEL_PREFIX)}")
    return tuple(tokens[2:])


# --- to prefix ---

_UNARY = frozenset(
    name
    for name, arity in OPERATORS.items()
    if arity == 1 and name not in ("inv", "pow2", "pow3", "pow4", "pow5", "sign", "f")
)
_LETTERS: dict[str, str] = {"pi": "pi", "e": "E", "i": "I"}
_SYMBOLS = frozenset((*VARIABLES, *COEFFICIENTS))


def integer_tokens(value: int) -> list[str]:
    """Sign and decimal digits: ``INT- 4 2``."""
    return ["INT-" if value < 0 else "INT+", *str(abs(value))]


def number_tokens(value: Fraction) -> list[str]:
    """An integer, or ``div`` of two."""
    if value.denominator == 1:
        return integer_tokens(value.numerator)
    return ["div", *integer_tokens(value.numerator), *integer_tokens(value.denominator)]


def folded(operator: str, parts: Sequence[Iterable[str]]) -> list[str]:
    """The tokens of parts combined by a binary operator, folded to the right."""
    tokens: list[str] = []
    for index, part in enumerate(parts):
        if index < len(parts) - 1:
            tokens.append(operator)
        tokens += part
    return tokens


def to_prefix(expression: Expression) -> Tokens:
    r"""The tokens of a tree, in its own order of arguments.

    Args:
        expression: the tree.

    Returns:
        The tokens.

    Raises:
        PrefixError: if a function or symbol has no token, or the tree is too large or too deep.

    >>> from calculus_harness.benchmarks.algebra.formulas import parse
    >>> " ".join(to_prefix(parse(r"2\sin x")))
    'mul INT+ 2 sin x'

    """
    tokens = _tokens(expression, MAX_DEPTH)
    if len(tokens) > MAX_TOKENS:
        raise PrefixError(f"more than {MAX_TOKENS} tokens")
    return tuple(tokens)


def _tokens(node: Expression, depth: int) -> list[str]:
    if isinstance(node, Number):
        return number_tokens(Fraction(node.numerator, node.denominator))
    if isinstance(node, Symbol):
        if node.name not in _SYMBOLS:
            raise PrefixError(f"no token for the symbol {node.name!r}")
        return [node.name]
    if not depth:
        raise PrefixError(f"nested deeper than {MAX_DEPTH} levels")
    name, args = node.function, node.args
    if name in _LETTERS:
        return [_LETTERS[name]]
    if name in ("mul", "neg", "div"):
        return _product(node, depth)
    parts = [_tokens(arg, depth - 1) for arg in args]
    if name == "add":
        return folded("add", parts)
    if name in ("pow", "root"):
        base, number = _as_power(node)
        degree = ["pow", *parts[1], "INT-", "1"] if name == "root" else parts[1]
        exponent = degree if base is node else number_tokens(number)
        return ["sqrt", *parts[0]] if exponent == _HALF else ["pow", *parts[0], *exponent]
    if name == "log":
        return ["mul", "ln", *parts[0], "pow", "ln", *parts[1], "INT-", "1"]
    if name == "sgn":
        return ["sign", *parts[0]]
    if name not in _UNARY:
        raise PrefixError(f"no token for the function {name!r}")
    return [name, *parts[0]]


_HALF = number_tokens(Fraction(1, 2))


def _product(node: Call, depth: int) -> list[str]:
    """A product, quotient or negative as one product: a number, then the factors."""
    above = below = 1
    factors: list[list[str]] = []
    stack: list[tuple[Expression, int]] = [(node, 1)]
    while stack:
        part, sign = stack.pop()
        if isinstance(part, Number) and (part.numerator or sign > 0):
            above *= part.numerator if sign > 0 else part.denominator
            below *= part.denominator if sign > 0 else part.numerator
        elif isinstance(part, Call) and part.function == "neg":
            above = -above
            stack.append((part.args[0], sign))
        elif isinstance(part, Call) and part.function == "mul":
            stack.extend((arg, sign) for arg in reversed(part.args))
        elif isinstance(part, Call) and part.function == "div":
            stack += [(part.args[1], -sign), (part.args[0], sign)]
        elif sign > 0:
            factors.append(_tokens(part, depth - 1))
        else:
            factors.append(_reciprocal(part, depth))
    if above != below or not factors:
        factors.insert(0, number_tokens(Fraction(above, below)))
    return folded("mul", factors)


def _reciprocal(node: Expression, depth: int) -> list[str]:
    """1/node as a power; a numeric exponent is negated."""
    base, exponent = _as_power(node)
    return ["pow", *_tokens(base, depth - 1), *number_tokens(-exponent)]


def _as_power(node: Expression) -> tuple[Expression, Fraction]:
    """Base and exponent; what has no number for its exponent or degree is its own base."""
    if node.function == "sqrt":
        return node.args[0], Fraction(1, 2)
    last = node.args[-1] if node.function in ("pow", "root") else None
    if isinstance(last, Number) and (last.numerator or node.function == "pow"):
        exponent = Fraction(last.numerator, last.denominator)
        return node.args[0], exponent if node.function == "pow" else 1 / exponent
    return node, Fraction(1)


# --- from prefix ---


def from_prefix(tokens: Sequence[str]) -> Expression:
    """The tree of prefix tokens.

    A right fold becomes one sum or product of many parts, ``div`` of two numbers a `Number`. The
    unknown functions f, g, h and Y, ``derivative`` and floats are refused.

    Args:
        tokens: the tokens.

    Returns:
        The tree.

    Raises:
        PrefixError: if the tokens are not a formula, or it is too large or too deep.

    >>> " ".join(to_prefix(from_prefix("add x add x INT+ 1 2".split())))
    'add x add x INT+ 1 2'

    """
    return _unfolded(_evaluated(tokens, Number, _node), MAX_DEPTH)


def _evaluated(
    tokens: Sequence[str], number: Callable[[int], Value], build: Callable[..., Value]
) -> Value:
    """What a formula comes to, from right to left: ``build`` is called with a token and operands.

    Raises:
        PrefixError: if the tokens are not a formula, or too many.

    """
    if not tokens:
        raise PrefixError("no tokens")
    if len(tokens) > MAX_TOKENS:
        raise PrefixError(f"more than {MAX_TOKENS} tokens")
    stack: list[Value] = []
    digits: list[str] = []
    for token in reversed(tokens):
        if token in _DIGITS:
            digits.append(token)
        elif token in ("INT+", "INT-"):
            if len(digits) > MAX_DIGITS:
                raise PrefixError(f"a number of more than {MAX_DIGITS} digits")
            value = int("".join(reversed(digits)) or "0")
            stack.append(number(-value if token == "INT-" else value))
            digits = []
        elif digits:
            break
        else:
            arity = OPERATORS.get(token, 0)
            if len(stack) < arity:
                raise PrefixError(f"{token} lacks operands")
            stack.append(build(token, *(stack.pop() for _ in range(arity))))
    if digits:
        raise PrefixError("digits without a sign token")
    if len(stack) != 1:
        raise PrefixError(f"{len(stack) - 1} operands too many")
    return stack[0]


def _node(token: str, *operands: Expression) -> Expression:
    if token not in _BUILDERS:
        raise PrefixError(f"{token!r} is not allowed in a formula")
    return _BUILDERS[token](*operands)


def _call(function: str, *args: Expression) -> Expression:
    return Call(function, args)


_DIGITS = frozenset(DIGITS)
_BUILDERS: dict[str, Callable[..., Expression]] = {
    **{name: partial(Symbol, name) for name in _SYMBOLS},
    **{token: partial(Call, function) for function, token in _LETTERS.items()},
    **{name: partial(_call, name) for name in ("add", "mul", "pow", *_UNARY)},
    **{f"pow{n}": partial(lambda n, base: Call("pow", (base, Number(n))), n) for n in (2, 3, 4, 5)},
    "sub": lambda a, b: Call("add", (a, Call("neg", (b,)))),
    "div": quotient,
    "rac": partial(_call, "root"),
    "inv": lambda a: Call("div", (Number(1), a)),
    "sign": partial(_call, "sgn"),
}


def _unfolded(node: Expression, depth: int) -> Expression:
    """Flatten right folds; done once at the end, so that long sums take linear time."""
    if not isinstance(node, Call):
        return node
    if not depth:
        raise PrefixError(f"nested deeper than {MAX_DEPTH} levels")
    parts = list(node.args)
    while node.function in ("add", "mul") and parts[-1].function == node.function:
        parts += parts.pop().args
    return Call(node.function, tuple(_unfolded(part, depth - 1) for part in parts))


# --- to infix ---

_INFIX: dict[str, str] = {
    "add": "({})+({})",
    "sub": "({})-({})",
    "mul": "({})*({})",
    "div": "({})/({})",
    "pow": "({})**({})",
    "rac": "({})**(1/({}))",
    "abs": "Abs({})",
    "inv": "1/({})",
    "derivative": "Derivative({},{})",
    "g": "g({},{})",
    "h": "h({},{},{})",
    **{f"pow{n}": f"({{}})**{n}" for n in (2, 3, 4, 5)},
}


def to_infix(tokens: Sequence[str]) -> str:
    """Tokens as infix text with every operand in parentheses; ``INT+`` without digits is 0.

    Raises:
        PrefixError: if the tokens are not a formula.

    """
    return f"({_evaluated(tokens, str, _infix)})"


def _infix(token: str, *operands: str) -> str:
    if operands:
        return _INFIX.get(token, f"{token}({{}})").format(*operands)
    _node(token)  # refuses what is no leaf
    return token


def operator_count(tokens: Iterable[str]) -> int:
    """The number of operator tokens, including the ``div`` of fractions."""
    return sum(token in OPERATORS for token in tokens)
