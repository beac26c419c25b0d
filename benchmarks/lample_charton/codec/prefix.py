"""Expression trees to prefix tokens and back; prefix tokens to infix text.

Formulas are not evaluated. Sums and products of several operands are folded to the right, ``add a
add b c``; subtraction is written ``add a mul INT- 1 b`` and division ``mul a pow b INT- 1``, as in
the published data. Reading accepts all operators of the vocabulary. Input may be hostile: size and
depth are bounded, and no code is executed.

This module keeps the order of terms and factors. Published data has SymPy's order
(`benchmarks.lample_charton.codec.sympy_prefix`), as does the normal form
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

#: The largest number of tokens of a sequence, and the largest depth of a tree.
MAX_TOKENS = 4096
MAX_DEPTH = 200
MAX_DIGITS = 1000

Tokens = tuple[str, ...]
Value = TypeVar("Value")

#: Precedes the integrand in a model's input: y' - f (section 2.7 of the code's README).
MODEL_PREFIX: Tokens = ("sub", "Y'")


class PrefixError(UnusableFormulaError):
    """Tokens that are no formula, or a formula without tokens."""


# --- the input of the sequence integrator ---


def is_equation(tokens: Sequence[str]) -> bool:
    """Whether tokens are a differential equation, with a derivative, and no integrand."""
    return not {"Y'", "Y''"}.isdisjoint(tokens)


def model_input(integrand: Sequence[str]) -> Tokens:
    """A model's input for an integrand, ``sub Y' ...``; a differential equation stays as it is.

    Args:
        integrand: the tokens of the integrand, or of the equation.

    Returns:
        The input's tokens.

    >>> " ".join(model_input(["sin", "x"]))
    "sub Y' sin x"

    """
    return tuple(integrand) if is_equation(integrand) else (*MODEL_PREFIX, *integrand)


def integrand_of(tokens: Sequence[str]) -> Tokens:
    """The integrand's tokens in a model's input, or the tokens of a differential equation.

    Raises:
        PrefixError: if the input neither begins with `MODEL_PREFIX` nor holds a derivative.

    """
    if tuple(tokens[:2]) == MODEL_PREFIX and not is_equation(tokens[2:]) and "Y" not in tokens:
        return tuple(tokens[2:])
    if not is_equation(tokens):
        raise PrefixError(f"a model's input must begin with {' '.join(MODEL_PREFIX)}")
    return tuple(tokens)


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


def folded(operator: str, operands: Sequence[Iterable[str]]) -> list[str]:
    """The tokens of operands combined by a binary operator, folded to the right."""
    tokens: list[str] = []
    for index, operand in enumerate(operands):
        if index < len(operands) - 1:
            tokens.append(operator)
        tokens += operand
    return tokens


def to_prefix(expression: Expression) -> Tokens:
    r"""The tokens of a tree, in its own order of arguments.

    Args:
        expression: the tree.

    Returns:
        The tokens.

    Raises:
        PrefixError: a function or symbol has no token, or the tree is too large or too deep.

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
    # Products and powers have special forms in published data; all other functions are a token and
    # the operands.
    name, args = node.function, node.args
    if name in _LETTERS:
        return [_LETTERS[name]]
    if name in ("mul", "neg", "div"):
        return _product(node, depth)
    operands = [_tokens(arg, depth - 1) for arg in args]
    if name == "add":
        return folded("add", operands)
    if name in ("pow", "root"):
        base, number = _as_power(node)
        degree = ["pow", *operands[1], "INT-", "1"] if name == "root" else operands[1]
        exponent = degree if base is node else number_tokens(number)
        return ["sqrt", *operands[0]] if exponent == _HALF else ["pow", *operands[0], *exponent]
    if name == "log":
        return ["mul", "ln", *operands[0], "pow", "ln", *operands[1], "INT-", "1"]
    if name == "sgn":
        return ["sign", *operands[0]]
    if name not in _UNARY:
        raise PrefixError(f"no token for the function {name!r}")
    return [name, *operands[0]]


_HALF = number_tokens(Fraction(1, 2))


def _product(node: Call, depth: int) -> list[str]:
    """A product, quotient or negative as a single product: a number, then the factors."""
    numerator = denominator = 1
    factors: list[list[str]] = []
    # Nested products and quotients are flattened with an exponent of 1 or -1; numbers are collected
    # in a single fraction.
    stack: list[tuple[Expression, int]] = [(node, 1)]
    while stack:
        factor, sign = stack.pop()
        if isinstance(factor, Number) and (factor.numerator or sign > 0):
            numerator *= factor.numerator if sign > 0 else factor.denominator
            denominator *= factor.denominator if sign > 0 else factor.numerator
        elif isinstance(factor, Call) and factor.function == "neg":
            numerator = -numerator
            stack.append((factor.args[0], sign))
        elif isinstance(factor, Call) and factor.function == "mul":
            stack.extend((arg, sign) for arg in reversed(factor.args))
        elif isinstance(factor, Call) and factor.function == "div":
            stack += [(factor.args[1], -sign), (factor.args[0], sign)]
        elif sign > 0:
            factors.append(_tokens(factor, depth - 1))
        else:
            factors.append(_reciprocal(factor, depth))
    if numerator != denominator or not factors:
        factors.insert(0, number_tokens(Fraction(numerator, denominator)))
    return folded("mul", factors)


def _reciprocal(node: Expression, depth: int) -> list[str]:
    """1/node as a power; a numeric exponent is negated."""
    base, exponent = _as_power(node)
    return ["pow", *_tokens(base, depth - 1), *number_tokens(-exponent)]


def _as_power(node: Expression) -> tuple[Expression, Fraction]:
    """Base and exponent; a node without a numeric exponent or degree is the base itself."""
    if node.function == "sqrt":
        return node.args[0], Fraction(1, 2)
    exponent_node = node.args[-1] if node.function in ("pow", "root") else None
    if isinstance(exponent_node, Number) and (exponent_node.numerator or node.function == "pow"):
        exponent = Fraction(exponent_node.numerator, exponent_node.denominator)
        return node.args[0], exponent if node.function == "pow" else 1 / exponent
    return node, Fraction(1)


# --- from prefix ---


def from_prefix(tokens: Sequence[str]) -> Expression:
    """The tree of prefix tokens.

    A right fold becomes one sum or product, ``div`` of two numbers a `Number`. The unknown
    functions f, g, h and Y, ``derivative`` and floats are refused.

    Args:
        tokens: the tokens.

    Returns:
        The tree.

    Raises:
        PrefixError: the tokens are no formula, or the formula is too large or too deep.

    >>> " ".join(to_prefix(from_prefix("add x add x INT+ 1 2".split())))
    'add x add x INT+ 1 2'

    """
    return _unfolded(_evaluated(tokens, Number, _node), MAX_DEPTH)


def _evaluated(
    tokens: Sequence[str], number: Callable[[int], Value], build: Callable[..., Value]
) -> Value:
    """The value of a formula, from right to left: ``build`` is called with a token and operands.

    Raises:
        PrefixError: the tokens are no formula, or too many.

    """
    if not tokens:
        raise PrefixError("no tokens")
    if len(tokens) > MAX_TOKENS:
        raise PrefixError(f"more than {MAX_TOKENS} tokens")
    # From right to left, every operator finds its operands on the stack. Digits are collected until
    # the sign token in front of them.
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
    """Flatten right folds, once at the end: long sums take linear time."""
    if not isinstance(node, Call):
        return node
    if not depth:
        raise PrefixError(f"nested deeper than {MAX_DEPTH} levels")
    operands = list(node.args)
    while node.function in ("add", "mul") and operands[-1].function == node.function:
        operands += operands.pop().args
    return Call(node.function, tuple(_unfolded(operand, depth - 1) for operand in operands))


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
