"""Reads tables of values and conditions, in LaTeX or in SymPy's notation."""

from __future__ import annotations

from typing import Final

from ..expression.build import ONE, ZERO
from ..expression.tree import Call, Expression, Symbol
from .calls import OPENERS
from .parser import Parser
from .tokens.roles import CLOSERS

_BRACE: Final = frozenset("}")
_RELATIONS: Final = {"<": "lt", ">": "gt", "\\le": "le", "\\ge": "ge", "=": "eq", "\\ne": "ne"}
_JOINERS: Final = {"\\wedge": "and", "\\vee": "or", "\\or": "or", ",": "and"}


def cases(parser: Parser, name: str, depth: int) -> Expression:
    r"""Read ``\begin{cases} value & condition \\ ... \end{cases}``."""
    tokens = parser.tokens
    bar_state = parser.enter_brackets()
    closer = f"\\end {name}"
    arguments: list[Expression] = []
    while True:
        parser.skip("\\\\", "&")
        if tokens[parser.pos] == closer:
            break
        if len(arguments) % 2:
            raise parser.error("the end of the table after its last case")
        start = parser.pos
        arguments.append(_value(parser, depth))
        if tokens[parser.pos] in _RELATIONS:  # the condition comes first
            parser.pos = start
            arguments[-1] = _all_of(parser, depth)
            parser.skip(":", ",", "&")
            arguments.insert(-1, parser.expression(depth))
        else:
            condition = _condition(parser, depth)
            if condition is not None:
                arguments.append(condition)
        if tokens[parser.pos] not in ("\\\\", closer):
            raise parser.error("the end of a row")
    parser.pos += 1
    parser.bars, parser.separates = bar_state
    if len(arguments) < 2:
        raise parser.error("a table with conditions")
    return Call("piecewise", tuple(arguments))


def _value(parser: Parser, depth: int) -> Expression:
    """Read a value in a table of cases. An infinite value counts as undefined."""
    if _skips_infinity(parser, "\\infty", "\\text diverges", "\\text undefined"):
        return Call("div", (ONE, ZERO))
    return parser.expression(depth)


def _skips_infinity(parser: Parser, *names: str) -> bool:
    """Skip one of the names, with or without a sign. Return whether it was there."""
    index = parser.pos + (parser.tokens[parser.pos] in ("+", "-"))
    is_infinite = parser.tokens[index] in names
    if is_infinite:
        parser.pos = index + 1
    return is_infinite


def piecewise(parser: Parser, name: str, depth: int) -> Expression:
    """Read ``Piecewise((value, condition), (value, True))``, as SymPy prints a table of cases."""
    tokens = parser.tokens
    bar_state = parser.enter_brackets()
    if tokens[parser.pos] not in OPENERS:
        raise parser.error("the cases in parentheses")
    parser.pos += 1
    arguments: list[Expression] = []
    while tokens[parser.pos] in OPENERS:
        if len(arguments) % 2:
            raise parser.error("the end of the cases after the last one")
        parser.pos += 1
        arguments.append(parser.expression(depth))
        condition = _condition(parser, depth)
        if condition is not None:
            arguments.append(condition)
        if tokens[parser.pos] not in CLOSERS:
            raise parser.error("the end of a case")
        parser.pos += 1
        if tokens[parser.pos] == ",":
            parser.pos += 1
    if tokens[parser.pos] not in CLOSERS or len(arguments) < 2:
        raise parser.error("cases of a value and a condition")
    parser.pos += 1
    parser.bars, parser.separates = bar_state
    return Call("piecewise", tuple(arguments))


def _condition(parser: Parser, depth: int) -> Expression | None:
    """Read the condition in a row of a ``cases`` table.

    The result is None if the row says "otherwise" or has no condition.
    """
    tokens = parser.tokens
    parser.skip(",", ";", "&", "\\if", ":", "\\text where")
    token = tokens[parser.pos]
    if token in ("\\otherwise", "\\text True"):
        parser.pos += 1
        parser.skip(".", ",", ";")
        return None
    if token == "\\\\" or token.startswith("\\end "):
        return None
    node = _all_of(parser, depth)
    parser.skip(".", ",", ";")
    return node


def _all_of(parser: Parser, depth: int) -> Expression:
    """Read comparisons joined by "and", "or" or commas. The word "or" binds least tightly."""
    tokens = parser.tokens
    node: Expression | None = None
    joined = _comparison(parser, depth)
    for _ in range(parser.limits.terms):
        joiner = _JOINERS.get(tokens[parser.pos])
        if joiner is None or tokens[parser.pos + 1] == "\\\\":
            break
        parser.pos += 1
        if tokens[parser.pos].startswith("\\end "):
            break
        if joiner == "and":
            joined = Call("and", (joined, _comparison(parser, depth)))
        else:
            node = joined if node is None else Call("or", (node, joined))
            joined = _comparison(parser, depth)
    return joined if node is None else Call("or", (node, joined))


def _comparison(parser: Parser, depth: int) -> Expression:
    r"""Read a comparison ``a < b``, a chain of comparisons, or ``x \in [a, b)``.

    Any of these may be in parentheses.
    """
    tokens = parser.tokens
    parser.skip("\\if", "\\forall")
    group_tokens = _inside_group(tokens, parser.pos)
    if not group_tokens.isdisjoint(_RELATIONS) or "\\in" in group_tokens:
        depth = parser.deeper(depth)
        parser.pos += 1
        node = _all_of(parser, depth)
        if tokens[parser.pos] not in CLOSERS:
            raise parser.error("the end of a condition")
        parser.pos += 1
        return node
    if "," in group_tokens or ";" in group_tokens:
        return _membership(parser, _only_symbol(parser), depth)
    side = _bound(parser, depth)
    if tokens[parser.pos] == "\\in" and side is not None:
        parser.pos += 1
        return _membership(parser, side, depth)
    links: list[Expression] = []
    related = False
    while (relation := _RELATIONS.get(tokens[parser.pos])) is not None:
        related = True
        parser.pos += 1
        right = _bound(parser, depth)
        if side is not None and right is not None:
            links.append(Call(relation, (side, right)))
        side = right
    if not related:
        raise parser.error("a comparison")
    return _joined("and", links)


def _joined(joiner: str, conditions: list[Expression]) -> Expression:
    """Join conditions by "and" or "or". An empty list gives a condition that is always true."""
    if len(conditions) < 2:
        return conditions[0] if conditions else Call("ge", (ZERO, ZERO))
    return Call(joiner, tuple(conditions))


def _inside_group(tokens: list[str], index: int) -> frozenset[str]:
    """The tokens inside the group from ``index`` on. If no group opens, the set is empty."""
    group_tokens: set[str] = set()
    level = 0
    opener = tokens[index]
    if opener not in OPENERS and not (opener == "]" and tokens[index + 1] != "\\\\"):
        return frozenset()
    for token in tokens[index + 1 :]:
        if token in ("", "\\\\") or (level == 0 and token in CLOSERS):
            break
        level += (token in OPENERS or token == "{") - (token in CLOSERS or token == "}")
        group_tokens.add(token)
    return frozenset(group_tokens)


def _only_symbol(parser: Parser) -> Expression:
    """The symbol to which ``on [0, 1]`` refers: the only symbol of the formula."""
    if len(parser.symbols) != 1:
        raise parser.error("a comparison")
    return Symbol(next(iter(parser.symbols)))


def _bound(parser: Parser, depth: int) -> Expression | None:
    """Read a side of a comparison, or an end of an interval. An infinite end gives None."""
    return None if _skips_infinity(parser, "\\infty") else parser.expression(depth)


def _membership(parser: Parser, node: Expression, depth: int) -> Expression:
    r"""Read the membership of a value in some intervals, or in ``\mathbb{R}``."""
    tokens = parser.tokens
    conditions: list[Expression] = []
    while True:
        token = tokens[parser.pos]
        if token in ("R", "ℝ") or tokens[parser.pos : parser.pos + 3] == ["{", "R", "}"]:
            parser.pos += 1 if token != "{" else 3
            return _joined("and", [])
        if token not in ("(", "[", "]"):
            raise parser.error("an interval")
        parser.pos += 1
        low = _bound(parser, depth)
        if tokens[parser.pos] not in (",", ";"):
            raise parser.error("a comma")
        parser.pos += 1
        high = _bound(parser, depth)
        closer = tokens[parser.pos]
        if closer not in (")", "]"):
            raise parser.error("the end of the interval")
        parser.pos += 1
        ends: list[Expression] = []
        if low is not None:
            ends.append(Call("ge" if token == "[" else "gt", (node, low)))
        if high is not None:
            ends.append(Call("le" if closer == "]" else "lt", (node, high)))
        conditions.append(_joined("and", ends))
        if tokens[parser.pos] != "\\cup":
            return _joined("or", conditions)
        parser.pos += 1
