"""The reader of infix notations: formulas in the notation of SymPy, Maxima, FriCAS or Alkahest.

All systems share a grammar (``+ - * / ^ !``, comparisons, calls, lists, indices as in
``psi[0](x)``). A `Notation` has the differences between systems as data: signs, names, and how
trees are built. Nothing is evaluated. Some systems print long sums with a thousand nested brackets.
The parser therefore uses stacks instead of recursion. Each token is read once.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final

from .traversal import is_deeper, nodes_of
from .tree import FUNCTIONS, Call, Expression, Number

#: The function of a list, as in ``[a, b]``, or of a pair in parentheses.
LIST: Final = "list"
_CLOSING: Final = {"(": ")", "[": "]"}
_OPENING: Final = re.compile(r"\s*([(\[])")
_PARENTHESIS: Final = re.compile(r"\s*(\()")
_CLOSERS: Final = {"(": re.compile(r"\s*(\))"), "[": re.compile(r"\s*(\])")}
#: Operators that wait for their second operand, for each level of brackets: a comparison, a sum, a
#: product, a sign and a power. Longer runs are towers of powers or rows of signs.
_WAITING: Final = 5


class NotationError(ValueError):
    """A system has no notation for an expression, or a text cannot be parsed."""


class Notation(ABC):
    """The grammar of a computer algebra system's notation, with methods for trees.

    A subclass overrides what differs. By default, trees have the form of the text, with one
    exception: if the first operand of a sum is a sum in brackets, both sums become a single call.
    The same holds for products.

    Attributes:
        system: the system's name.
        token: the regular expression of a token, with the groups ``number``, ``name``, ``sign``,
            and ``cast``. A cast after a value is ignored.
        binding: how tightly each operator binds. A ``sign`` binds as in mathematics: ``-x^2`` is
            -(x^2), and ``2^-x`` is 2^(-x).
        relations: the name, in trees, of each comparison sign or connective.
        comparisons: the relations that bind least tightly. A pair of brackets has at most one of
            these relations.
        prefixes: signs before a value that have no effect.
        has_pairs: whether ``(a, b)`` is a list.
        most_characters: longer texts are refused.
        most_digits: longer numbers are refused.
        most_levels: deeper trees are refused.
        most_brackets: the largest number of nested brackets.

    """

    system: str
    token: ClassVar[re.Pattern[str]]
    binding: ClassVar[dict[str, int]] = {"+": 1, "-": 1, "*": 2, "/": 2, "sign": 3, "^": 4}
    relations: ClassVar[dict[str, str]] = {}
    comparisons: ClassVar[frozenset[str]] = frozenset()
    prefixes: ClassVar[str] = "+"
    has_pairs: ClassVar[bool] = False
    most_characters: ClassVar[int]
    most_digits: ClassVar[int] = 1_000
    most_levels: ClassVar[int]
    most_brackets: ClassVar[int]

    @abstractmethod
    def atom(self, name: str) -> Expression:
        """Make the tree of a name without arguments."""

    @abstractmethod
    def call(self, name: str, args: tuple[Expression, ...]) -> Expression:
        """Make the tree of a function with arguments."""

    def sum(self, terms: Sequence[Expression]) -> Expression:
        return Call("add", tuple(terms))

    def product(self, factors: Sequence[Expression]) -> Expression:
        return Call("mul", tuple(factors))

    def quotient(self, numerator: Expression, denominator: Expression) -> Expression:
        return Call("div", (numerator, denominator))

    def power(self, base: Expression, exponent: Expression) -> Expression:
        return Call("pow", (base, exponent))

    def negative(self, value: Expression) -> Expression:
        """Make the tree of a value with a minus sign."""
        return Call("neg", (value,))

    def subtracted(self, term: Expression) -> Expression:
        """Make the tree of a subtracted term of a sum."""
        return Call("neg", (term,))

    def read(self, text: str) -> Expression:
        """Parse a text.

        Args:
            text: the formula.

        Returns:
            The tree of the formula.

        Raises:
            NotationError: the text is too long, too deep, or in another notation.

        """
        if len(text) > self.most_characters:
            raise NotationError(f"a text of {len(text)} characters is too long to be read")
        tree = _Parser(text, self).parse()
        if is_deeper(tree, self.most_levels):
            raise NotationError(f"more than {self.most_levels} levels are too deep to be read")
        return tree


def unknown_functions(expression: Expression) -> set[str]:
    """The names of the functions in a tree without a record in `rewards.reading.functions`."""
    called = {node.function for node in nodes_of(expression) if isinstance(node, Call)}
    return called - FUNCTIONS.keys()


@dataclass(slots=True)
class _OpenChain:
    """A sum or product, still open for further operands."""

    sign: str  # + or *
    operands: list[Expression]


@dataclass(slots=True)
class _Open:
    """An open bracket, and the function before the bracket.

    ``values`` and ``operators`` are the sizes of the parser's stacks when the bracket was opened.
    """

    bracket: str
    name: str | None
    values: int
    operators: int
    index: tuple[Expression, ...] = ()


class _Parser:
    """An operator-precedence parser with explicit stacks of values, operators and open brackets."""

    def __init__(self, text: str, notation: Notation) -> None:
        self._text = text.rstrip()
        self._notation = notation
        self._values: list[Expression | _OpenChain] = []
        self._operators: list[str] = []
        self._open: list[_Open] = []
        self._offset = 0

    def parse(self) -> Expression:
        wants_value = True
        while self._offset < len(self._text):
            match = self._notation.token.match(self._text, self._offset)
            if match is None:
                raise self._error("something else")
            self._offset, token = match.end(), match[match.lastgroup or 0]
            if wants_value:
                wants_value = self._value(str(match.lastgroup), token)
            elif match.lastgroup != "cast":  # ``x::Symbol`` is x
                wants_value = self._operator(token)
        if wants_value or self._open:
            raise self._error("more")
        self._reduce(0, 0)
        return self._taken()

    def _value(self, group: str, token: str) -> bool:
        """Handle a token where a value begins. Return whether a value must still follow."""
        if group == "number":
            self._values.append(number(token, self._notation.most_digits))
            return False
        if group == "name":
            bracket = self._skip(_OPENING)
            if not bracket:
                self._values.append(self._notation.atom(token))
                return False
            self._begin(bracket, token)
            return not self._closes_at_once()
        if token in _CLOSING:
            self._begin(token, LIST if token == "[" else None)
            return not self._closes_at_once()
        if token == "-":
            self._wait("sign")
        elif token not in self._notation.prefixes:
            raise self._error("a value")
        return True

    def _wait(self, operator: str) -> None:
        """Put an operator on the stack until the second operand is read."""
        self._operators.append(operator)
        if len(self._operators) > _WAITING * self._notation.most_brackets:
            raise NotationError("nested too deeply")

    def _begin(self, bracket: str, name: str | None, index: Sequence[Expression] = ()) -> None:
        opened = _Open(bracket, name, len(self._values), len(self._operators), tuple(index))
        self._open.append(opened)
        if len(self._open) > self._notation.most_brackets:
            raise NotationError("nested too deeply")

    def _closes_at_once(self) -> bool:
        """Close an empty bracket, as in ``pi()``. Return whether the bracket was empty."""
        opened = self._open[-1]
        if opened.name is None or not self._skip(_CLOSERS[opened.bracket]):
            return False
        self._open.pop()
        self._finish(opened, [])
        return True

    def _operator(self, token: str) -> bool:
        """Handle a token after a value. Return whether another value must follow."""
        token = "^" if token == "**" else token
        if token in ("!", "!!"):
            name = "factorial" if token == "!" else "double_factorial"
            self._values.append(Call(name, (self._taken(),)))
            return False
        binding = self._notation.binding.get(token)
        if binding is not None:
            # Powers are right-associative, and comparisons not associative at all.
            is_comparison = token in self._notation.comparisons
            self._reduce(binding + (token == "^" or is_comparison), self._floor)
            if is_comparison and len(self._operators) > self._floor:
                raise self._error("one comparison in brackets")
            self._wait(token)
            return True
        if not self._open or token not in (",", _CLOSING[self._open[-1].bracket]):
            raise self._error("an operator")
        self._reduce(0, self._floor)
        opened = self._open[-1]
        if token == ",":
            if opened.name is None and not self._notation.has_pairs:
                raise self._error("one value in brackets")
            return True
        return self._close(opened)

    def _close(self, opened: _Open) -> bool:
        """Close the innermost bracket. Return whether a value must follow."""
        self._open.pop()
        if opened.name is None and len(self._values) == opened.values + 1:
            return False  # a chain in brackets may go on behind them
        values = [self._frozen(value) for value in self._values[opened.values :]]
        del self._values[opened.values :]
        if opened.bracket == "[" and opened.name != LIST and self._skip(_PARENTHESIS):
            self._begin("(", opened.name, values)
            return not self._closes_at_once()
        self._finish(opened, values)
        return False

    def _skip(self, bracket: re.Pattern[str]) -> str:
        """Skip the next token if it matches ``bracket``. Return the token, or an empty text."""
        match = bracket.match(self._text, self._offset)
        if match is None:
            return ""
        self._offset = match.end()
        return match[1]

    @property
    def _floor(self) -> int:
        """The number of waiting operators at the opening of the innermost bracket."""
        return self._open[-1].operators if self._open else 0

    def _reduce(self, binding: int, floor: int) -> None:
        """Apply the top operators of the stack with at least the binding ``binding``.

        The lowest ``floor`` operators stay on the stack.
        """
        while (
            len(self._operators) > floor and self._notation.binding[self._operators[-1]] >= binding
        ):
            self._apply(self._operators.pop())

    def _apply(self, operator: str) -> None:
        """Apply an operator to the values on top of the stack."""
        notation, operand = self._notation, self._taken()
        if operator == "sign":
            self._values.append(notation.negative(operand))
        elif operator in "+-":
            self._chain("+", notation.subtracted(operand) if operator == "-" else operand)
        elif operator == "*":
            self._chain("*", operand)
        elif operator == "/":
            self._values.append(notation.quotient(self._taken(), operand))
        elif operator == "^":
            self._values.append(notation.power(self._taken(), operand))
        else:
            self._values.append(Call(notation.relations[operator], (self._taken(), operand)))

    def _chain(self, sign: str, operand: Expression) -> None:
        """Add an operand to the preceding sum or product, or begin a sum or product."""
        chain = self._values[-1]
        if isinstance(chain, _OpenChain) and chain.sign == sign:
            chain.operands.append(operand)
        else:
            self._values.append(_OpenChain(sign, [self._taken(), operand]))

    def _taken(self) -> Expression:
        """Take the value on top of the stack, as a finished tree."""
        return self._frozen(self._values.pop())

    def _frozen(self, value: Expression | _OpenChain) -> Expression:
        if not isinstance(value, _OpenChain):
            return value
        build = self._notation.sum if value.sign == "+" else self._notation.product
        return build(value.operands)

    def _finish(self, opened: _Open, values: Sequence[Expression]) -> None:
        name = LIST if opened.name is None else opened.name
        self._values.append(self._notation.call(name, (*opened.index, *values)))

    def _error(self, expected: str) -> NotationError:
        system, offset = self._notation.system, self._offset
        context = self._text[max(0, offset - 20) : offset + 20]
        return NotationError(
            f"not in {system}'s notation: expected {expected} at offset {offset}, near {context!r}"
        )


def number(token: str, most_digits: int) -> Number:
    """The exact value of a decimal number. ``1.5e3`` and ``1.5b3`` are 1500."""
    if len(token) > most_digits:
        raise NotationError(f"a number of {len(token)} digits is too long")
    mantissa, _, exponent = re.sub("[EbB]", "e", token).partition("e")
    if len(exponent) > _EXPONENT_DIGITS:
        raise NotationError(f"the number {token} is too large")
    value = Fraction(mantissa.removesuffix(".")) * Fraction(10) ** int(exponent or 0)
    return Number(value.numerator, value.denominator)


#: With its sign: exponents below 10,000, so that a short text makes no number of a million digits.
_EXPONENT_DIGITS: Final = 4
