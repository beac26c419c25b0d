"""Printer of computer algebra systems' infix notation, and what their answers are read by.

The systems' names are in a `Dialect`; the grammar is that of `rewards.expression.infix`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from typing import ClassVar

from ....rewards.expression.infix import Notation, NotationError
from ....rewards.expression.tree import FUNCTIONS, Call, Expression, Number, Symbol

#: The function of an unevaluated integral in a parsed tree: ``integral(f, x)``.
INTEGRAL = "integral"


@dataclass(frozen=True)
class Dialect:
    """A system's names.

    Attributes:
        system: The system's name.
        constants: Our constants -> the system's.
        functions: Our functions -> the system's with the same arguments.
        forms: Our functions -> a template of other notation, as ``"(log({0})/log({1}))"``.
        readers: The system's functions -> what builds the expression from their arguments.

    A name in no table is kept as a function that is not in `rewards.expression.tree.FUNCTIONS`.

    """

    system: str
    constants: Mapping[str, str]
    functions: Mapping[str, str]
    forms: Mapping[str, str] = field(default_factory=dict)
    readers: Mapping[str, Callable[[Sequence[Expression]], Expression]] = field(
        default_factory=dict
    )

    @cached_property
    def functions_read(self) -> dict[tuple[str, int], str]:
        """The system's name and number of arguments -> our name."""
        names: dict[tuple[str, int], str] = {}
        for name, system_name in self.functions.items():
            fewest, most = FUNCTIONS[name]
            for count in range(fewest, (most or 8) + 1):
                names[system_name, count] = name
        return names

    @cached_property
    def constants_read(self) -> dict[str, str]:
        return {system_name: name for name, system_name in self.constants.items()}


# --- printer -----------------------------------------------------------------------------------

_OPERATORS = {"add": "+", "mul": "*", "div": "/", "pow": "^"}


def write(expression: Expression, dialect: Dialect, symbols: Mapping[str, str]) -> str:
    """Print an expression in a system's notation.

    Args:
        expression: What to print.
        dialect: The system's names.
        symbols: The name of every symbol there.

    Raises:
        NotationError: The system lacks one of the functions.

    """
    if isinstance(expression, Number):
        text = str(expression.numerator)
        if expression.denominator != 1:
            text += f"/{expression.denominator}"
        return f"({text})" if expression.denominator != 1 or expression.numerator < 0 else text
    if isinstance(expression, Symbol):
        return symbols[expression.name]
    name = expression.function
    args = [write(arg, dialect, symbols) for arg in expression.args]
    if name in _OPERATORS:
        return f"({_OPERATORS[name].join(args)})"
    if name == "neg":
        return f"(-{args[0]})"
    if name in dialect.constants:
        return dialect.constants[name]
    if name in dialect.forms:
        return dialect.forms[name].format(*args)
    if name in dialect.functions:
        return f"{dialect.functions[name]}({','.join(args)})"
    raise NotationError(f"{dialect.system} has no function for {name!r}")


# --- reader ------------------------------------------------------------------------------------


def read(text: str, dialect: Dialect, symbols: Mapping[str, str]) -> Expression:
    """Parse a system's answer.

    Sums and products are flattened, exact numbers folded, powers of one half made square roots.

    Args:
        text: The answer.
        dialect: The system's names.
        symbols: The system's names of symbols -> ours.

    Raises:
        NotationError: The text is too long, too deep, or not in this notation.

    """
    return _Answer(dialect, symbols).read(text)


class _Answer(Notation):
    """The notation of a system's answer."""

    token: ClassVar = re.compile(
        r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eEbB][+-]?\d+)?|\.\d+(?:[eEbB][+-]?\d+)?)"
        r"|(?P<name>[A-Za-z%_][A-Za-z0-9%_?]*)|(?P<cast>::[A-Za-z]+)"
        r"|(?P<sign>!!|\*\*|[-+*/^!'(),\[\]]))"
    )
    prefixes: ClassVar = "+'"  # Maxima marks unevaluated functions with a quote
    #: As the verifier, `rewards.latex.limits`.
    most_characters: ClassVar = 100_000
    most_levels: ClassVar = 150
    #: A pair of brackets takes two characters, so that the length is the only bound.
    most_brackets: ClassVar = 50_000

    def __init__(self, dialect: Dialect, symbols: Mapping[str, str]) -> None:
        self.system = dialect.system
        self._dialect = dialect
        self._symbols = symbols

    def atom(self, name: str) -> Expression:
        if name in self._symbols:
            return Symbol(self._symbols[name])
        if name in self._dialect.constants_read:
            return Call(self._dialect.constants_read[name])
        return Symbol(plain(name))

    def call(self, name: str, args: tuple[Expression, ...]) -> Expression:
        if name in self._dialect.readers:
            try:
                return self._dialect.readers[name](args)
            except (ValueError, IndexError):
                raise NotationError(f"{name} of {len(args)} arguments makes no sense") from None
        if not args and name in self._dialect.constants_read:
            return Call(self._dialect.constants_read[name])
        return Call(self._dialect.functions_read.get((name, len(args)), plain(name)), args)

    def sum(self, terms: Sequence[Expression]) -> Expression:
        return Call("add", tuple(part for term in terms for part in _parts(term, "add")))

    def product(self, factors: Sequence[Expression]) -> Expression:
        return reduce(product, factors)

    def quotient(self, above: Expression, below: Expression) -> Expression:
        if isinstance(above, Number) and isinstance(below, Number) and below.numerator:
            value = Fraction(above.numerator, above.denominator)
            value /= Fraction(below.numerator, below.denominator)
            return Number(value.numerator, value.denominator)
        if _is_negative(above):
            return negative(self.quotient(negative(above), below))
        return Call("div", (above, below))

    def power(self, base: Expression, exponent: Expression) -> Expression:
        if base == Call("e"):
            return Call("exp", (exponent,))
        if exponent == Number(1, 2):
            return Call("sqrt", (base,))
        return Call("pow", (base, exponent))

    def negative(self, value: Expression) -> Expression:
        return negative(value)

    def subtracted(self, term: Expression) -> Expression:
        return negative(term)


def plain(name: str) -> str:
    """Return a system's name as letters and digits that are no function of ours."""
    letters = re.sub(r"[^A-Za-z0-9]", "", name) or "unknown"
    return f"their{letters}" if letters in FUNCTIONS else letters


def negative(value: Expression) -> Expression:
    if isinstance(value, Number):
        return Number(-value.numerator, value.denominator)
    if isinstance(value, Call) and value.function == "neg":
        return value.args[0]
    return Call("neg", (value,))


def _is_negative(value: Expression) -> bool:
    if isinstance(value, Number):
        return value.numerator < 0
    return isinstance(value, Call) and value.function == "neg"


def product(left: Expression, right: Expression) -> Expression:
    if _is_negative(left):
        return negative(product(negative(left), right))
    if left == Number(1):
        return right
    return Call("mul", (*_parts(left, "mul"), *_parts(right, "mul")))


def atan2(args: Sequence[Expression]) -> Expression:
    """2 atan(y / (sqrt(x^2 + y^2) + x)), which is the angle everywhere but on the cut."""
    y, x = args
    squares = [Call("pow", (part, Number(2))) for part in (x, y)]
    below = Call("add", (Call("sqrt", (Call("add", tuple(squares)),)), x))
    return Call("mul", (Number(2), Call("atan", (Call("div", (y, below)),))))


def _parts(value: Expression, name: str) -> tuple[Expression, ...]:
    return value.args if isinstance(value, Call) and value.function == name else (value,)
