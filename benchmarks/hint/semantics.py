"""HINT's expressions: the grammar, the meaning of each symbol, and the parse tree of an infix text.

Li et al. 2023 (HINT), figure 2 and tables 4 and A2: single digits, left-associative operators,
minus as max(0, i - j), division rounded up. Division by zero is undefined, and so is any expression
with an undefined part; values beyond `LIMIT` are undefined, too. Both rules are from the released
code. The released code also rounds the means c and d up, contrary to the paper's table 4.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

NUMBERS = {**{str(digit): digit for digit in range(10)}, "x": 11, "y": 12}
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "a": 1, "b": 1, "c": 2, "d": 2}
#: The symbols of the main splits; a few-shot split adds one concept.
DIGITS, OPERATORS, PARENTHESES = "0123456789", "+-*/", "()"
CONCEPTS = "xyabcd"
#: Larger values are undefined (the released evaluator's bound, ``sys.maxsize`` on 64 bits).
LIMIT = 2**63 - 1
#: What the record of an expression holds as the value of a parenthesis.
NO_VALUE = -1


def divide_up(i: int, j: int) -> int | None:
    """The quotient rounded up, exactly; None for a division by zero."""
    return -(-i // j) if j else None


_APPLY: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda i, j: i + j,
    "-": lambda i, j: max(0, i - j),
    "*": lambda i, j: i * j,
    "/": divide_up,
    "a": max,
    "b": min,
    "c": lambda i, j: divide_up(i + j, 2),
    "d": lambda i, j: divide_up(2 * i * j, i + j),
}


class GrammarError(ValueError):
    """A text that is no expression; the message names the position."""


def apply(operator: str, i: int | None, j: int | None) -> int | None:
    """The value of ``i operator j``, or None for an undefined value.

    >>> apply("-", 3, 8), apply("/", 7, 2), apply("/", 7, 0)
    (0, 4, None)
    """
    if i is None or j is None:
        return None
    value = _APPLY[operator](i, j)
    return None if value is None or value > LIMIT else value


@dataclass(frozen=True, slots=True)
class Expression:
    """An infix text with the tree.

    Attributes:
        text: The tokens, one character each, as in ``8-(1+2)``.
        head: The index of each token's parent, -1 for the root. Parentheses hang on the root of the
            enclosed subtree.
        values: The value of the subtree at each token: None where undefined, -1 for parentheses.
        root: The index of the root.
        depth: Nodes on the longest path from the root; 1 for a lone digit.

    """

    text: str
    head: tuple[int, ...]
    values: tuple[int | None, ...]
    root: int
    depth: int

    @property
    def value(self) -> int | None:
        return self.values[self.root]

    @property
    def operators(self) -> str:
        """The operators in the order of the text."""
        return "".join(symbol for symbol in self.text if symbol in PRECEDENCE)

    @property
    def largest(self) -> int:
        """The largest value of any node, digits included."""
        return max(value for value in self.values if value is not None)

    @property
    def dependency(self) -> int:
        """The longest distance, in tokens, between a token and the token's parent."""
        return max(abs(i - parent) if parent >= 0 else 0 for i, parent in enumerate(self.head))


def parse(text: Sequence[str]) -> Expression:
    """Read an infix expression in linear time.

    Args:
        text: A string, or a list of one-character tokens.

    Returns:
        The expression with tree and values.

    Raises:
        GrammarError: For an unknown symbol or a text outside the grammar.

    >>> parse("6*(5-2)").value, parse("6*(5-2)").head
    (18, (1, -1, 4, 4, 1, 4, 4))

    """
    reader = _Reader(text)
    for position, symbol in enumerate(text):
        reader.take(position, symbol)
    return reader.finished()


class _Reader:
    """Operator-precedence parsing with two stacks of token indices."""

    def __init__(self, text: Sequence[str]) -> None:
        self.text = text
        self.head = [-1] * len(text)
        self.values: list[int | None] = [NO_VALUE] * len(text)
        self.depths = [1] * len(text)
        self.pending: list[int] = []  # operators and opening parentheses
        self.operands: list[int] = []
        self.operand_next = True

    def take(self, position: int, symbol: str) -> None:
        # The shunting-yard algorithm: operands wait on a stack until an operator of lower or equal
        # precedence, a closing parenthesis or the end applies the pending operators.
        if symbol in NUMBERS:
            self._expect(position, operand=True)
            self.values[position] = NUMBERS[symbol]
            self.operands.append(position)
            self.operand_next = False
        elif symbol in PRECEDENCE:
            self._expect(position, operand=False)
            self._reduce(PRECEDENCE[symbol])
            self.pending.append(position)
            self.operand_next = True
        elif symbol == "(":
            self._expect(position, operand=True)
            self.pending.append(position)
        elif symbol == ")":
            self._expect(position, operand=False)
            self._reduce(0)
            if not self.pending:
                raise GrammarError(f"position {position}: ')' without '('")
            self.head[self.pending.pop()] = self.head[position] = self.operands[-1]
        else:
            raise GrammarError(f"position {position}: unknown symbol {str(symbol)[:20]!r}")

    def finished(self) -> Expression:
        self._expect(len(self.text), operand=False)
        self._reduce(0)
        if self.pending:
            raise GrammarError(f"position {self.pending[-1]}: '(' is never closed")
        root = self.operands.pop()
        return Expression(
            "".join(self.text), tuple(self.head), tuple(self.values), root, self.depths[root]
        )

    def _expect(self, position: int, *, operand: bool) -> None:
        if self.operand_next != operand:
            expected = "a number or '('" if self.operand_next else "an operator or ')'"
            symbol = repr(self.text[position]) if position < len(self.text) else "the end"
            raise GrammarError(f"position {position}: {symbol} where {expected} must stand")

    def _reduce(self, precedence: int) -> None:
        """Apply pending operators with at least the given binding strength, up to a parenthesis."""
        while self.pending and self.text[self.pending[-1]] != "(":
            operator = self.pending[-1]
            if PRECEDENCE[self.text[operator]] < precedence:
                return
            self.pending.pop()
            right, left = self.operands.pop(), self.operands.pop()
            self.head[left] = self.head[right] = operator
            self.depths[operator] = 1 + max(self.depths[left], self.depths[right])
            self.values[operator] = apply(
                self.text[operator], self.values[left], self.values[right]
            )
            self.operands.append(operator)


def operations(expression: Expression) -> Iterator[tuple[int, int, int]]:
    """The operators of an expression in order of application: the index, and the operands' indices.

    >>> list(operations(parse("6*(5-2)")))
    [(4, 3, 5), (1, 0, 4)]
    """
    operands: dict[int, list[int]] = {}
    for index, parent in enumerate(expression.head):
        if expression.text[index] not in PARENTHESES and parent >= 0:
            operands.setdefault(parent, []).append(index)
    todo, order = [expression.root], []
    while todo:
        if (index := todo.pop()) in operands:
            order.append(index)
            todo += operands[index]
    for index in reversed(order):
        left, right = operands[index]
        yield index, left, right


def worked(expression: Expression) -> list[str]:
    """The computation step by step.

    >>> worked(parse("6*(5-7)"))
    ['5 - 7 = 0', '6 * 0 = 0']
    """
    values = expression.values
    return [
        f"{values[left]} {expression.text[index]} {values[right]} = {values[index]}"
        for index, left, right in operations(expression)
    ]


def infix(prefix: Sequence[str]) -> str:
    """The infix text of a prefix expression, with the paper's parentheses.

    A compound left child is enclosed if the child binds less strongly than the parent, a compound
    right child if the child binds less or equally strongly.

    >>> infix("-3-52"), infix("--352")
    ('3-(5-2)', '3-5-2')
    """
    stack: list[tuple[str, int]] = []  # text and precedence, which is beyond all for a number
    for symbol in reversed(prefix):
        if symbol in NUMBERS:
            stack.append((symbol, sys.maxsize))
            continue
        precedence = PRECEDENCE[symbol]
        (left, left_binds), (right, right_binds) = stack.pop(), stack.pop()
        if left_binds < precedence:
            left = f"({left})"
        if right_binds <= precedence:
            right = f"({right})"
        stack.append((left + symbol + right, precedence))
    (result,) = stack
    return result[0]
