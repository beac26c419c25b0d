"""Printer and reader of computer algebra systems' infix notation.

A system's names are in a `Dialect`; the grammar is in `rewards.reading.expression.infix`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from typing import ClassVar

from ....rewards.reading.expression.formulas import definition_of
from ....rewards.reading.expression.infix import LIST, Notation, NotationError
from ....rewards.reading.expression.tree import FUNCTIONS, Call, Expression, Number, Symbol
from ....rewards.reading.functions import RECORDS, spellings

#: The function of an unevaluated integral in a parsed tree: ``integral(f, x)``.
INTEGRAL = "integral"


@dataclass(frozen=True)
class Dialect:
    """A system's notation: the names of `rewards.reading.functions`, and further functions of
    answers.

    Attributes:
        system: The system's name.
        readers: The system's functions -> builders of expressions from the arguments.
        operations: The operations of `question.OPERATIONS` that the system has -> templates, whose
            fields are the numbers of arguments.
        constants: The system's names of constants of integration -> their indices.

    An unknown name becomes a function outside of `rewards.reading.functions.RECORDS`.

    """

    system: str
    readers: Mapping[str, Callable[[Sequence[Expression]], Expression]] = field(
        default_factory=dict
    )
    operations: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def notation(self) -> dict[str, str]:
        """Our functions and constants -> the system's names, or templates of the notation."""
        return spellings(self.system.lower())

    @cached_property
    def functions_read(self) -> dict[tuple[str, int], str]:
        """The system's name and number of arguments -> our name."""
        names: dict[tuple[str, int], str] = {}
        for name, system_name in self.notation.items():
            least, greatest = RECORDS[name].arity
            if greatest != 0 and "(" not in system_name:
                for count in range(least, (greatest or 8) + 1):
                    names[system_name, count] = name
        return names

    @cached_property
    def constants_read(self) -> dict[str, str]:
        return {text: name for name, text in self.notation.items() if RECORDS[name].arity[1] == 0}


# --- printer -----------------------------------------------------------------------------------

_OPERATORS = {"add": "+", "mul": "*", "div": "/", "pow": "^"}


def write(expression: Expression, dialect: Dialect, symbols: Mapping[str, str]) -> str:
    """Print an expression in a system's notation.

    Args:
        expression: The expression to print.
        dialect: The system's names.
        symbols: The system's name of every symbol.

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
    # From special to general: operations of the question, lists and operators, the system's own
    # functions, and at last a definition by functions that the system has.
    name = expression.function
    args = [write(arg, dialect, symbols) for arg in expression.args]
    if name in dialect.operations:
        return dialect.operations[name].format(*args)
    if name == LIST:
        return f"[{','.join(args)}]"
    if name in _OPERATORS:
        return f"({_OPERATORS[name].join(args)})"
    if name == "neg":
        return f"(-{args[0]})"
    notation = dialect.notation.get(name)
    if notation is not None:
        if "(" in notation:
            return notation.format(*args)
        return f"{notation}({','.join(args)})" if args else notation
    definition = definition_of(expression) if name in RECORDS else None
    if definition is None:
        raise NotationError(f"{dialect.system} has no function for {name!r}")
    return write(definition, dialect, symbols)


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
    #: The same limit as in `rewards.reading.latex.limits`.
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
        return Call("add", tuple(addend for term in terms for addend in _operands_of(term, "add")))

    def product(self, factors: Sequence[Expression]) -> Expression:
        return reduce(product, factors)

    def quotient(self, expression: Expression, divisor: Expression) -> Expression:
        if isinstance(expression, Number) and isinstance(divisor, Number) and divisor.numerator:
            value = Fraction(expression.numerator, expression.denominator)
            value /= Fraction(divisor.numerator, divisor.denominator)
            return Number(value.numerator, value.denominator)
        if _is_negative(expression):
            return negative(self.quotient(negative(expression), divisor))
        return Call("div", (expression, divisor))

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
    """Return a system's name as letters and digits, distinct from our functions' names."""
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


def product(expression: Expression, right: Expression) -> Expression:
    if _is_negative(expression):
        return negative(product(negative(expression), right))
    if expression == Number(1):
        return right
    return Call("mul", (*_operands_of(expression, "mul"), *_operands_of(right, "mul")))


def atan2(args: Sequence[Expression]) -> Expression:
    """2 atan(y / (sqrt(x^2 + y^2) + x)), the angle everywhere except on the cut."""
    y, x = args
    squares = [Call("pow", (coordinate, Number(2))) for coordinate in (x, y)]
    denominator = Call("add", (Call("sqrt", (Call("add", tuple(squares)),)), x))
    return Call("mul", (Number(2), Call("atan", (Call("div", (y, denominator)),))))


def _operands_of(value: Expression, name: str) -> tuple[Expression, ...]:
    return value.args if isinstance(value, Call) and value.function == name else (value,)
