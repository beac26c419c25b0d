r"""Functions with optional parentheses: ``\sin^2 2x``, ``\ln|x|``, ``\arctan e^x``."""

from __future__ import annotations

from typing import Final

from ..expression.build import E, product, quotient
from ..expression.formulas import with_arguments
from ..expression.traversal import is_constant
from ..expression.tree import Call, Expression, Number, Symbol
from ..functions import RECORDS
from .ambiguities import Ambiguity
from .parser import Parser
from .tokens.expected import expected_end
from .tokens.names import DERIVED, INVERSES
from .tokens.roles import CLOSERS, DIFFERENTIAL, INFIX

OPENERS: Final = frozenset(("(", "[", "\\{"))
BRACE: Final = frozenset("}")
_LOGARITHMS: Final = frozenset(("ln", "log", "lg"))
_ATOMIC: Final = (Number, Symbol)


def function(parser: Parser, name: str, depth: int) -> Expression:
    r"""Read a function of a single argument, with or without parentheses around the argument.

    A power may follow the function's name, as in ``\sin^2 x``.
    """
    tokens = parser.tokens
    power: Expression | None = None
    base: Expression | None = None
    while (token := tokens[parser.pos]) == "^" or token == "_":
        parser.pos += 1
        if token == "^":
            if power is not None:
                raise parser.error("an argument", at=parser.pos - 1)
            power = parser.exponent(depth)
        else:
            if name == "dawson" and (width := plus_sign(tokens, parser.pos)):
                parser.pos += width
                continue
            if base is not None or (name != "log" and name != "ln"):
                raise parser.error("an argument, not a subscript", at=parser.pos - 1)
            base = parser.tex_argument(depth)
    if type(power) is Number and power.numerator == -1 and power.denominator == 1:
        inverse = INVERSES.get(name)
        if inverse is not None:
            name, power = inverse, None
    if token == "}":  # {{\sin}^{-1}}x: only the name is in the braces
        del tokens[parser.pos]
        argument = argument_of(parser, name, depth)
        tokens.insert(parser.pos, "}")
    else:
        argument = argument_of(parser, name, depth)
    if tokens[parser.pos] == "," and tokens[parser.pos - 1] not in CLOSERS and not parser.separates:
        raise parser.error(*expected_end(","))
    if name == "gudermannian" and type(power) is Number and power == Number(-1):
        return Call("atanh", (Call("sin", (argument,)),))
    node = _unary(name, argument, base)
    return node if power is None else Call("pow", (node, power))


def _unary(name: str, argument: Expression, base: Expression | None) -> Expression:
    if base is not None:
        return Call("ln", (argument,)) if base is E else Call("log", (argument, base))
    if name == "log":
        return Call("ln", (argument,))
    if name in DERIVED:
        return with_arguments(DERIVED[name], {"u": argument})
    return Call(_TREE_NAMES.get(name, name), (argument,))


_TREE_NAMES: Final = {f.token: f.name for f in RECORDS.values() if f.bare}


def plus_sign(tokens: list[str], index: int) -> int:
    """The number of tokens in the subscript ``+`` of Dawson's integral ``D_+(x)``.

    The result is 0 without the subscript.
    """
    for width, spelling in ((1, ["+"]), (3, ["{", "+", "}"])):
        if tokens[index : index + width] == spelling and tokens[index + width] in OPENERS:
            return width
    return 0


# -- the extent of an argument --------------------------------------------------------------------


def argument_of(parser: Parser, name: str, depth: int) -> Expression:
    tokens = parser.tokens
    token = tokens[parser.pos]
    if token == "(" or token in OPENERS:
        parser.pos += 1
        argument = parser.group(CLOSERS, depth)
        if tokens[parser.pos] == "^" and type(argument) not in _ATOMIC:
            return _power_or_argument(parser, argument, depth, of_argument=False)
        return argument
    if token == "{":
        # SymPy prints \log{\left(x \right)}^{2}: the braces close the call.
        closed = tokens[parser.pos + 1] in OPENERS
        parser.pos += 1
        argument = parser.group(BRACE, depth)
        if tokens[parser.pos] == "^" and not closed:
            return _power_or_argument(parser, argument, depth, of_argument=False)
        return argument
    if token == "|" or token == "\\left|":
        argument = parser.operand(token, depth)
        if tokens[parser.pos] == "^":
            return _power_or_argument(parser, argument, depth, of_argument=True)
        return argument
    return _bare_argument(parser, name, depth)


def _power_or_argument(
    parser: Parser, argument: Expression, depth: int, *, of_argument: bool
) -> Expression:
    """Read ``f(u)^n`` as a power of the call ``f(u)``, or as f of the argument ``(u)^n``."""
    if parser.choose(Ambiguity.call_power) == of_argument:
        return argument
    return parser.postfix(argument, "^", depth)


def _bare_argument(parser: Parser, name: str, depth: int) -> Expression:
    r"""Read the argument of a function without parentheses, such as the product in ``\sin 2x``.

    The conventions of printed formulas decide where the product ends.
    """
    tokens = parser.tokens
    negative = parser.sign() if tokens[parser.pos] in ("+", "-") else False
    factors = [parser.factor(depth)]
    token = tokens[parser.pos]
    operator = INFIX.get(token)
    if operator is None:
        constant = is_constant(factors[0])
        simple = constant or _is_simple(factors[0])
        while simple and operator is None and _continues(parser, name, token, constant):
            factor = parser.factor(depth)
            factors.append(factor)
            constant = constant and is_constant(factor)
            simple = constant or _is_simple(factor)
            token = tokens[parser.pos]
            operator = INFIX.get(token)
    if operator and type(factors[-1]) in _ATOMIC:
        _take_operator(parser, name, token, factors, depth)
    return parser.negated(negative, product(factors))


def _is_simple(node: Expression) -> bool:
    r"""Whether a node is a letter or a power of a letter.

    After such a node, another letter may continue the argument, as in ``\sin xy``.
    """
    if type(node) is Call and node.function == "pow":
        node = node.args[0]
    return type(node) is Symbol


def _continues(parser: Parser, name: str, token: str, constant: bool) -> bool:
    """Whether the next token continues an argument without parentheses.

    ``constant`` is true if the argument so far is constant. Any other argument ends in a letter.
    """
    if token == DIFFERENTIAL:
        return False
    following = parser.tokens[parser.pos + 1]
    atom = parser.atoms.get(token)
    if atom is not None and type(atom) is not Number:
        return constant or not (following == "^" and (atom is E or token == "e"))
    if token[0].isdigit():
        return False
    group = token in OPENERS or token == "{" or token == "|" or token == "\\left|"
    if not constant:
        return group and token != "{" and parser.choose(Ambiguity.argument_extent)
    if not (group or token in ("\\frac", "\\sqrt", "\\radical")) and token not in parser.prefix:
        return False
    is_function = not group and parser.prefix[token][0] is function
    takes = not (is_function and not name.startswith("a") and name != "exp")
    if name in _LOGARITHMS or is_function or group:
        return takes != parser.choose(Ambiguity.argument_extent)
    return takes


def _take_operator(
    parser: Parser, name: str, token: str, factors: list[Expression], depth: int
) -> None:
    r"""Read a slash or a dot after an argument without parentheses.

    The argument may end before the slash in ``\sin x/2``, and before the dot in ``\sin 2 \cdot x``.
    Both texts are therefore ambiguous.
    """
    tokens = parser.tokens
    following = tokens[parser.pos + 1]
    if token == "/":
        divisor = parser.atoms.get(following)
        token_after_divisor = tokens[parser.pos + 2]
        if (
            (type(divisor) is Symbol or following.isdigit())
            and divisor not in factors
            and token_after_divisor not in ("^", "(", "_")
            and not (type(factors[0]) is Number and len(factors) == 1)
            and parser.choose(Ambiguity.argument_slash)
        ):
            parser.pos += 1
            factors[:] = [quotient(product(factors), parser.factor(depth))]
    elif token in ("*", "\\cdot", "\\times") and len(factors) == 1 and type(factors[0]) is Number:
        divided = type(parser.atoms.get(following)) is Symbol
        if divided and (name in _LOGARITHMS) == parser.choose(Ambiguity.argument_times):
            parser.pos += 1
            factors.append(parser.factor(depth))


def inverse_or_product(parser: Parser, names: str, depth: int) -> Expression:
    """Read ``asin x`` as the arcsine of x, or as the symbol a times the sine of x."""
    inverse, plain = names.split()
    if parser.choose(Ambiguity.a_inverse):
        return Call("mul", (Symbol("a"), function(parser, plain, depth)))
    return function(parser, inverse, depth)
