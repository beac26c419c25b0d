"""Printer and parser of computer algebra systems' infix notation.

All systems share one grammar (``+ - * / ^ !``, calls, lists, indices as in ``psi[0](x)``); their
names are in a `Dialect`. Nothing is evaluated. The parser has its own stack, because systems nest
a sum of a thousand terms a thousand deep.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from ....rewards.reading.expression.formulas import definition_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ....rewards.reading.functions import RECORDS, spellings

#: Longer texts are refused, as by the verifier.
MAX_CHARACTERS = 100_000
MAX_DIGITS = 1_000
#: Deeper trees are refused, as by the verifier.
MAX_LEVELS = 150
#: The function of an unevaluated integral in a parsed tree: ``integral(f, x)``.
INTEGRAL = "integral"
#: The function of a list, as in ``[a, b]``.
LIST = "list"


class NotationError(ValueError):
    """An expression that a system has no notation for, or a text that cannot be parsed."""


@dataclass(frozen=True)
class Dialect:
    """A system's notation: the names of `rewards.reading.functions`, and what only the reader
    needs.

    Attributes:
        system: The system's name.
        readers: The system's functions -> what builds the expression from their arguments.

    A name in no table is kept as a function that is not in `rewards.reading.functions.RECORDS`.

    """

    system: str
    readers: Mapping[str, Callable[[Sequence[Expression]], Expression]] = field(
        default_factory=dict
    )

    @cached_property
    def notation(self) -> dict[str, str]:
        """Our functions and constants -> the system's names, or templates of its notation."""
        return spellings(self.system.lower())

    @cached_property
    def functions_read(self) -> dict[tuple[str, int], str]:
        """The system's name and number of arguments -> our name."""
        names: dict[tuple[str, int], str] = {}
        for name, system_name in self.notation.items():
            fewest, most = RECORDS[name].arity
            if most != 0 and "(" not in system_name:
                for count in range(fewest, (most or 8) + 1):
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
    notation = dialect.notation.get(name)
    if notation is not None:
        if "(" in notation:
            return notation.format(*args)
        return f"{notation}({','.join(args)})" if args else notation
    other = definition_of(expression) if name in RECORDS else None
    if other is None:
        raise NotationError(f"{dialect.system} has no function for {name!r}")
    return write(other, dialect, symbols)


# --- parser ------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eEbB][+-]?\d+)?|\.\d+(?:[eEbB][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z%_][A-Za-z0-9%_?]*)|(?P<cast>::[A-Za-z]+)|(?P<sign>!!|\*\*|[-+*/^!'(),\[\]]))"
)
#: How tightly an operator binds; a sign binds as in mathematics, ``-x^2`` and ``2^-x``.
_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "sign": 3, "^": 4}
_CLOSING = {"(": ")", "[": "]"}


@dataclass
class _Open:
    """An open bracket: its function, and where its values and operators begin."""

    bracket: str
    name: str | None
    start: int
    operators: int
    index: tuple[Expression, ...] = ()


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
    if len(text) > MAX_CHARACTERS:
        raise NotationError(f"an answer of {len(text)} characters is too long to be read")
    tree = _Parser(text, dialect, symbols).parse()
    _check_levels(tree)
    return tree


class _Parser:
    """An operator-precedence parser with explicit stacks of values, operators, open brackets."""

    def __init__(self, text: str, dialect: Dialect, symbols: Mapping[str, str]) -> None:
        self._text = text.rstrip()
        self._dialect = dialect
        self._symbols = symbols
        self._values: list[Expression] = []
        self._operators: list[str] = []
        self._open: list[_Open] = []
        self._place = 0

    def parse(self) -> Expression:
        wants_value = True
        while self._place < len(self._text):
            match = _TOKEN.match(self._text, self._place)
            if match is None:
                raise self._error("something else")
            self._place, token = match.end(), match[match.lastgroup or 0]
            if wants_value:
                wants_value = self._value(str(match.lastgroup), token)
            elif match.lastgroup != "cast":  # ``x::Symbol`` is x
                wants_value = self._operator(token)
        if wants_value or self._open:
            raise self._error("more")
        self._reduce(0, 0)
        return self._values[0]

    def _value(self, kind: str, token: str) -> bool:
        """Take a token where a value may begin; returns whether one is still expected."""
        if kind == "number":
            self._values.append(_number(token))
            return False
        if kind == "name":
            opening = self._opening(token)
            if opening is None:
                self._values.append(self._atom(token))
            return opening is not None and not self._closes_at_once()
        if token in _CLOSING:
            self._begin(token, LIST if token == "[" else None)
            return not self._closes_at_once()
        if token == "-":
            self._operators.append("sign")
        elif token not in ("'", "+"):  # Maxima marks unevaluated functions with a quote
            raise self._error("a value")
        return True

    def _opening(self, name: str) -> str | None:
        """Open the bracket that directly follows a function's name, if there is one."""
        bracket = self._next()
        if bracket not in _CLOSING:
            return None
        self._place += 1
        self._begin(bracket, name)
        return bracket

    def _begin(self, bracket: str, name: str | None, index: Sequence[Expression] = ()) -> None:
        opened = _Open(bracket, name, len(self._values), len(self._operators), tuple(index))
        self._open.append(opened)

    def _closes_at_once(self) -> bool:
        """Close an empty pair of brackets, as in ``pi()``."""
        opened = self._open[-1]
        if opened.name is None or self._next() != _CLOSING[opened.bracket]:
            return False
        self._place += 1
        self._open.pop()
        self._finish(opened, [])
        return True

    def _operator(self, token: str) -> bool:
        """Take a token after a value; returns whether another value is expected."""
        token = "^" if token == "**" else token
        if token in ("!", "!!"):
            name = "factorial" if token == "!" else "double_factorial"
            self._values.append(Call(name, (self._values.pop(),)))
            return False
        if token in _BINDING:
            self._reduce(_BINDING[token] + (token == "^"), self._floor)
            self._operators.append(token)
            return True
        if not self._open or token not in (",", _CLOSING[self._open[-1].bracket]):
            raise self._error("an operator")
        self._reduce(0, self._floor)
        opened = self._open[-1]
        if token == ",":
            if opened.name is None:
                raise self._error("one value in brackets")
            return True
        self._open.pop()
        values = self._values[opened.start :]
        del self._values[opened.start :]
        if opened.name is None:
            self._values += values
            return False
        if opened.bracket == "[" and opened.name != LIST and self._next() == "(":
            self._place += 1
            self._begin("(", opened.name, values)
            return not self._closes_at_once()
        self._finish(opened, values)
        return False

    def _next(self) -> str:
        return self._text[self._place : self._place + 1]

    @property
    def _floor(self) -> int:
        """The number of operators outside the innermost brackets."""
        return self._open[-1].operators if self._open else 0

    def _reduce(self, binding: int, floor: int) -> None:
        """Apply the operators that bind at least as tightly."""
        while len(self._operators) > floor and _BINDING[self._operators[-1]] >= binding:
            operator, last = self._operators.pop(), self._values.pop()
            if operator == "sign":
                self._values.append(negative(last))
            else:
                self._values.append(_BINARY[operator](self._values.pop(), last))

    def _finish(self, opened: _Open, values: Sequence[Expression]) -> None:
        args = (*opened.index, *values)
        self._values.append(self._call(str(opened.name), args))

    def _call(self, name: str, args: tuple[Expression, ...]) -> Expression:
        if name in self._dialect.readers:
            try:
                return self._dialect.readers[name](args)
            except (ValueError, IndexError):
                raise NotationError(f"{name} of {len(args)} arguments makes no sense") from None
        if not args and name in self._dialect.constants_read:
            return Call(self._dialect.constants_read[name])
        return Call(self._dialect.functions_read.get((name, len(args)), plain(name)), args)

    def _atom(self, name: str) -> Expression:
        if name in self._symbols:
            return Symbol(self._symbols[name])
        if name in self._dialect.constants_read:
            return Call(self._dialect.constants_read[name])
        return Symbol(plain(name))

    def _error(self, wanted: str) -> NotationError:
        near = self._text[max(0, self._place - 20) : self._place + 20]
        return NotationError(f"expected {wanted} at offset {self._place}, near {near!r}")


def plain(name: str) -> str:
    """Return a system's name as letters and digits that are no function of ours."""
    letters = re.sub(r"[^A-Za-z0-9]", "", name) or "unknown"
    return f"their{letters}" if letters in RECORDS else letters


def unknown_functions(expression: Expression) -> set[str]:
    """Return the functions in a tree that are none of ours."""
    names: set[str] = set()
    pending = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, Call):
            pending.extend(node.args)
            if node.function not in RECORDS:
                names.add(node.function)
    return names


def _number(token: str) -> Number:
    if len(token) > MAX_DIGITS:
        raise NotationError(f"a number of {len(token)} digits is too long")
    mantissa, _, exponent = re.sub("[EbB]", "e", token).partition("e")
    if len(exponent) > 4:
        raise NotationError(f"the number {token} is too large")
    value = Fraction(mantissa.removesuffix(".")) * Fraction(10) ** int(exponent or 0)
    return Number(value.numerator, value.denominator)


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


def _sum(left: Expression, right: Expression) -> Expression:
    return Call("add", (*_parts(left, "add"), *_parts(right, "add")))


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


def _quotient(above: Expression, below: Expression) -> Expression:
    if isinstance(above, Number) and isinstance(below, Number) and below.numerator:
        value = Fraction(above.numerator, above.denominator)
        value /= Fraction(below.numerator, below.denominator)
        return Number(value.numerator, value.denominator)
    if _is_negative(above):
        return negative(_quotient(negative(above), below))
    return Call("div", (above, below))


def _power(base: Expression, exponent: Expression) -> Expression:
    if base == Call("e"):
        return Call("exp", (exponent,))
    if exponent == Number(1, 2):
        return Call("sqrt", (base,))
    return Call("pow", (base, exponent))


_BINARY: dict[str, Callable[[Expression, Expression], Expression]] = {
    "+": _sum,
    "-": lambda left, right: _sum(left, negative(right)),
    "*": product,
    "/": _quotient,
    "^": _power,
}


def _check_levels(tree: Expression) -> None:
    pending = [(tree, 1)]
    while pending:
        node, level = pending.pop()
        if level > MAX_LEVELS:
            raise NotationError(
                f"an answer of more than {MAX_LEVELS} levels is too deep to be read"
            )
        if isinstance(node, Call):
            pending.extend((arg, level + 1) for arg in node.args)
