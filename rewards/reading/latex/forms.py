"""Operands other than function calls: groups, bars, fractions, roots, tables, sums, products."""

from __future__ import annotations

import math
from typing import Final

from ..expression.build import quotient, ratio
from ..expression.infinite_sums import infinite_sum
from ..expression.traversal import size, substitute
from ..expression.tree import Call, Expression, Number, Symbol
from .ambiguities import Ambiguity
from .calls import OPENERS, function
from .errors import NotClosedFormError, ReadError, TooBigError
from .parser import Parser
from .special import letter, named
from .tokens.roles import CLOSERS, DIFFERENTIAL, IN_PROBLEM, IS_VALUE, TAIL, group_end

_BRACE: Final = frozenset("}")
_BRACKET: Final = frozenset("]")
_DIFFERENTIALS: Final = frozenset(("d", "\\differential", "\\partial", "\\upright d"))


# -- groups ---------------------------------------------------------------------------------------


def braces(parser: Parser, _: None, depth: int) -> Expression:
    r"""Read ``\{x\}``: a fractional part in a problem, and usually parentheses in an answer."""
    start = parser.pos
    node = parser.group(CLOSERS, depth)
    if IN_PROBLEM not in parser.symbols:
        return Call("frac", (node,)) if parser.choose(Ambiguity.braces) else node
    if "[" in parser.tokens[start : parser.pos]:  # the outermost of three kinds of brackets?
        raise parser.error(
            "parentheses, or \\operatorname{frac} for a fractional part", at=start - 1
        )
    return Call("frac", (node,))


def differential(parser: Parser, _: None, depth: int) -> Expression:
    """Read the differential in a problem, as a symbol."""
    if DIFFERENTIAL not in parser.symbols:
        raise parser.error("an operand", at=parser.pos - 1)
    return Symbol(DIFFERENTIAL)


def brace(parser: Parser, _: None, depth: int) -> Expression:
    r"""Read a braced group. If the group is just a function's name, read the whole call.

    The argument of the call follows the group, as in ``{\rm arctan}(x)`` and ``{J_1}(x)``.
    """
    tokens, index = parser.tokens, parser.pos
    following = tokens[index + 1]
    if following != "}" and following != "_":  # most groups: this is asked of every one
        return parser.group(_BRACE, depth)
    entry = parser.prefix.get(tokens[index])
    if entry is None and following == "}" and tokens[index] in parser.atoms:
        parser.pos += 2
        return parser.atoms[tokens[index]]
    if entry is not None and entry[0] in (function, named, letter):
        close = next((at for at in range(index + 1, index + 6) if tokens[at] in ("}", "{", "")), 0)
        has_index = following == "_" and tokens[close + 1] in OPENERS
        if close and tokens[close] == "}" and (close == index + 1 or has_index):
            del tokens[close]  # the argument of the function follows its name
            parser.pos += 1
            return entry[0](parser, entry[1], depth)
    return parser.group(_BRACE, depth)


def bars(parser: Parser, _: None, depth: int) -> Expression:
    """Read ``|x|`` with plain bars. The token before a bar says whether the bar opens."""
    start = parser.pos
    parser.bars += 1
    node = parser.expression(depth)
    if parser.tokens[parser.pos] != "|":
        if not parser.tokens[parser.pos]:
            raise parser.error("a closing bar for the one here", at=start - 1)
        raise parser.error("an operator or a closing bar")
    parser.pos += 1
    parser.bars -= 1
    return Call("abs", (node,))


def delimited(parser: Parser, function_and_closer: tuple[str, str], depth: int) -> Expression:
    """Read a function whose delimiters are its name: bars with sizes, floors and ceilings."""
    name, closer = function_and_closer
    return Call(name, (parser.group(frozenset((closer,)), depth),))


def negation(parser: Parser, sign: str, depth: int) -> Expression:
    r"""Read a sign after an operator, as in ``x \cdot -2``."""
    return parser.negated(sign == "-", parser.factor(depth))


# -- fractions, roots, binomials ------------------------------------------------------------------


def fraction(parser: Parser, _: None, depth: int) -> Expression:
    tokens = parser.tokens
    start = parser.pos
    numerator_index = start + (tokens[start] == "{")
    if tokens[numerator_index] in _DIFFERENTIALS and _is_derivative(parser, start):
        raise parser.error("a closed form, not a derivative", NotClosedFormError, at=start - 1)
    top = parser.tex_argument(depth)
    bottom = parser.tex_argument(depth)
    node = quotient(top, bottom)
    if type(node) is Number and start > 1 and tokens[start - 2].isdigit():
        return _maybe_mixed(parser, node, start)
    return node


def _maybe_mixed(
    parser: Parser, node: Number, start: int, *, is_certain: bool = False
) -> Expression:
    r"""Read ``2\frac13`` as 2 times 1/3, or as the mixed number 2 + 1/3; 2⅓ is always mixed."""
    token_before = parser.tokens[start - 3] if start > 2 else ""
    integer_part = int(parser.tokens[start - 2][: parser.limits.digits])
    # No one writes 1 times 1/2, or leaves a number that is the whole answer as a product.
    is_lone = start < 3 or (start == 3 and token_before in ("+", "-"))
    is_lone &= parser.tokens[parser.pos] in TAIL | {""}
    is_certain |= integer_part == 1 or is_lone
    if integer_part == 0 or token_before in ("^", "_") or not 0 < node.numerator < node.denominator:
        return node
    if (is_certain and token_before == "}") or not (
        is_certain or parser.choose(Ambiguity.mixed_number)
    ):
        return node
    # The number before is already a factor: times this, it is the mixed number.
    return ratio(integer_part * node.denominator + node.numerator, integer_part * node.denominator)


def _is_derivative(parser: Parser, start: int) -> bool:
    r"""Whether a derivative ``\frac{d..}{d..}`` begins here, with ``d`` or ``\partial``.

    The letter ``d`` does not begin a derivative if it is a symbol of the problem.
    """
    tokens = parser.tokens
    if "\\partial" in tokens[start : start + 2] or "\\differential" in tokens[start : start + 2]:
        return True
    if "d" in parser.symbols:
        return False
    index = group_end(tokens, start)
    bottom = tokens[index + 1 : index + 4]
    if not bottom or bottom[0] != "{":
        return "\\differential" in bottom[:1]
    if len(bottom) < 3 or bottom[1] not in _DIFFERENTIALS:
        return False
    return bottom[1] == "\\differential" or bottom[2] not in ("}", "+", "-")


def accented(parser: Parser, accent: str, depth: int) -> Expression:
    r"""Read an accented letter such as ``\tilde{C}``. The symbol is different from ``C``."""
    start = parser.pos - 1
    node = parser.tex_argument(depth)
    if type(node) is not Symbol:
        raise parser.error(f"a letter under \\{accent}", at=start)
    return Symbol(f"{accent} {node.name}")


def vulgar(parser: Parser, value: Number, depth: int) -> Expression:
    """Read a fraction in a single character, such as ``½``. 2½ is a mixed number."""
    start = parser.pos
    if start > 1 and parser.tokens[start - 2].isdigit():
        return _maybe_mixed(parser, value, start, is_certain=True)
    return value


def radical(parser: Parser, _: None, depth: int) -> Expression:
    tokens = parser.tokens
    index: Expression | None = None
    if tokens[parser.pos] == "[":
        parser.pos += 1
        index = parser.group(_BRACKET, depth)
    token = tokens[parser.pos]
    if token.isdigit() and len(token) > 1 and not parser.choose(Ambiguity.unbraced_digits):
        argument = parser.operand(token, depth)
    else:
        argument = parser.tex_argument(depth)
    if index is None or (type(index) is Number and index == Number(2)):
        return Call("sqrt", (argument,))
    return Call("root", (argument, index))


def radical_sign(parser: Parser, degree: int, depth: int) -> Expression:
    """Read the character √ and the operand after the root."""
    token = parser.tokens[parser.pos]
    grouped = token in ("(", "[", "{", "\\{")
    argument = parser.operand(token, depth) if grouped else parser.factor(depth)
    if degree == 2:
        return Call("sqrt", (argument,))
    return Call("root", (argument, Number(degree)))


def binomial(parser: Parser, _: None, depth: int) -> Expression:
    top = parser.tex_argument(depth)
    return Call("binomial", (top, parser.tex_argument(depth)))


# -- sums and products of explicit terms ----------------------------------------------------------


def series(parser: Parser, function: str, depth: int) -> Expression:
    r"""Read and expand a sum or product. An infinite sum is replaced by the value.

    Examples are ``\sum_{k=0}^{3} x^k`` and ``\sum_{k=0}^\infty 2^{-k}``.
    """
    start = parser.pos - 1
    index, low, high = _range(parser, depth)
    construct = "a sum" if function == "add" else "a product"
    if high == math.inf:
        value = _infinite_sum(parser, index, low, depth) if function == "add" else None
        if value is not None:
            return value
        text = "".join(token.removeprefix("\\text ") for token in parser.tokens[start : parser.pos])
        message = f"a closed form, not the infinite {construct[2:]} {text:.60}"
        raise parser.error(message, NotClosedFormError, at=start)
    if index is None or low is None or high is None:
        message = f"a closed form, not {construct} with unknown bounds"
        raise parser.error(message, NotClosedFormError, at=start)
    if high - low >= parser.limits.terms:
        message = f"{construct} of at most {parser.limits.terms} terms"
        raise parser.error(message, TooBigError, at=start)
    body = _body(parser, index, depth)
    parser.nodes += size(body) * int(max(high - low + 1, 0))
    if parser.nodes > parser.limits.nodes:
        raise parser.error(f"at most {parser.limits.nodes} terms in all", TooBigError, at=start)
    terms = tuple(substitute(body, index, Number(k)) for k in range(low, int(high) + 1))
    if len(terms) < 2:
        return terms[0] if terms else Number(int(function == "mul"))
    return Call(function, terms)


def _range(parser: Parser, depth: int) -> tuple[str | None, int | None, float | None]:
    """The index, the lower bound and the upper bound of a sum or product.

    A bound is None if it is not a whole number. An infinite upper bound is ``math.inf``.
    """
    tokens = parser.tokens
    index: str | None = None
    low: int | None = None
    high: float | None = None
    while (token := tokens[parser.pos]) == "_" or token == "^":
        parser.pos += 1
        if token == "_":
            index = tokens[parser.pos + 1].lstrip("\\")
            if tokens[parser.pos] != "{" or not index or tokens[parser.pos + 2] != "=":
                break
            parser.pos += 3
            low = _whole(parser.group(_BRACE, depth))
        elif _is_infinity(tokens, parser.pos):
            high = math.inf
            parser.pos += 1 if tokens[parser.pos] == "\\infty" else 3
        else:
            bound = _whole(parser.operand(tokens[parser.pos], depth))
            high = high if high == math.inf else bound
    return index, low, high


def _infinite_sum(
    parser: Parser, index: str | None, low: int | None, depth: int
) -> Expression | None:
    """Read an infinite sum and find the value.

    The result is None if the value is not known, or if no infinite sum is allowed in the formula.
    """
    if IS_VALUE in parser.symbols or index is None or low is None:
        return None
    body = _body(parser, index, depth)
    return infinite_sum(body, index, low, power_series=IN_PROBLEM in parser.symbols)


def _is_infinity(tokens: list[str], index: int) -> bool:
    r"""Whether ``\infty``, with or without braces, begins at ``index``."""
    return tokens[index] == "\\infty" or tokens[index : index + 3] == ["{", "\\infty", "}"]


def _body(parser: Parser, index: str, depth: int) -> Expression:
    """Read the term of a sum or product over an index."""
    atoms = parser.atoms
    parser.atoms = {**atoms, index: Symbol(index), "\\" + index: Symbol(index)}
    body = parser.term(depth)
    parser.atoms = atoms
    return body


def _whole(node: Expression) -> int | None:
    return node.numerator if type(node) is Number and node.denominator == 1 else None


# -- what is not a formula ------------------------------------------------------------------------


def refused(parser: Parser, reason: tuple[type[ReadError], str], depth: int) -> Expression:
    """Raise an error for notation that is not evaluated. The error states the reason."""
    error_type, expected = reason
    raise parser.error(expected, error_type, at=parser.pos - 1)
