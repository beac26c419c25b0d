r"""Special functions: by name (``\operatorname{Li}_2(x)``), by letter (``F(x|m)``), ``_2F_1``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..expression.build import ONE, E
from ..expression.formulas import with_arguments
from ..expression.tree import Call, Expression, Number, Symbol
from .ambiguities import Ambiguity
from .builders import BUILDERS, Arguments, complementary, harmonic_number
from .calls import BRACE, OPENERS, argument_of, plus_sign
from .parser import Parser
from .tokens.roles import CLOSERS, group_end, group_levels


def named(parser: Parser, name: str, depth: int) -> Expression:
    r"""Read a special function by name, such as ``\operatorname{Li}_2(x)``."""
    tokens = parser.tokens
    start = parser.pos - 1
    subscript: Expression | None = None
    power: Expression | None = None
    while (token := tokens[parser.pos]) == "_" or token == "^":
        parser.pos += 1
        if token == "_" and subscript is None:
            subscript = parser.tex_argument(depth)
        elif token == "^" and power is None:
            power = parser.exponent(depth)
        else:
            raise parser.error("arguments", at=parser.pos - 1)
    token = tokens[parser.pos]
    if token in OPENERS or token == "{":
        arguments, separators = arguments_of(parser, depth)
    elif name in ("fresnels", "fresnelc") and subscript is None and power is None:
        return Symbol(name[-1].upper())
    else:
        arguments, separators = [argument_of(parser, name, depth)], ""
    node = BUILDERS[name](parser, subscript, arguments, separators)
    if node is None:
        raise parser.error(f"other arguments for {name}", at=start)
    return node if power is None else Call("pow", (node, power))


def arguments_of(parser: Parser, depth: int) -> tuple[Arguments, str]:
    """Read arguments in parentheses. Return the arguments and the separators between arguments.

    The arguments may also be in braces, or in parentheses within braces.
    """
    tokens = parser.tokens
    braced = tokens[parser.pos] == "{"
    parser.pos += 1
    nested = braced and tokens[parser.pos] in OPENERS
    if nested:
        parser.pos += 1
    closers = CLOSERS if nested or not braced else BRACE
    bar_state = parser.enter_brackets(separates=True)
    arguments = [parser.expression(depth)]
    separators = ""
    while (token := tokens[parser.pos]) not in closers:
        if token not in (",", ";", "|", "\\middle|", "\\backslash"):
            raise parser.error("a comma or a closing delimiter")
        separators += "\\" if token == "\\backslash" else token[-1]
        parser.pos += 1
        if tokens[parser.pos] in _NAMED_ARGUMENTS and tokens[parser.pos + 1] == "=":
            parser.pos += 2
        arguments.append(parser.expression(depth))
    parser.pos += 1
    if nested:
        parser.expect("}", "a closing brace")
    parser.bars, parser.separates = bar_state
    return arguments, separators


#: Names that may stand before an argument: ``F(x, k = 1/2)``.
_NAMED_ARGUMENTS: Final = frozenset("kmn")


def letter(parser: Parser, name: str, depth: int) -> Expression:
    r"""Read the letter of a function before arguments, as in ``W(x)``, ``\Gamma(s,x)``."""
    irregular = _IRREGULAR.get(name)
    if irregular is not None and (node := irregular(parser, name, depth)) is not None:
        return node
    token = parser.tokens[parser.pos]
    index, scripts = parser.pos, ""
    if token in ("^", "_"):
        index, scripts = _after_scripts(parser.tokens, parser.pos)
    builder = _builder(parser, name, index, scripts)
    if builder is not None:
        return _letter_call(parser, name, builder, scripts, depth)
    if name == "E" and token == "^":
        return E  # Mathematica's spelling of Euler's number
    if name == "\\gamma" and token != "_":
        return Call("euler_gamma")
    return Symbol(name.lstrip("\\"))


def _builder(parser: Parser, name: str, index: int, scripts: str) -> str | None:
    """Find the name of the function for a letter.

    ``scripts`` has ``_`` if the letter has a subscript, and ``^`` if the letter has a power. The
    result is None if the letter is not a function.
    """
    tokens, builders = parser.tokens, LETTERS[name]
    token = tokens[index]
    if "_" in scripts:
        return builders.get("_") if token in ("(", "{") else None
    if not ((token in OPENERS and token != "[") or (token == "{" and tokens[index + 1] in OPENERS)):
        return None
    count = count_arguments(tokens, index)
    # E^2(x) is a power of Euler's number, or of an elliptic integral.
    may_be_factor = name in _PRODUCTS or (name == "E" and bool(scripts))
    if count == 1 and may_be_factor and _is_product(parser, name, index):
        return None
    return builders.get(str(count))


def _is_product(parser: Parser, name: str, index: int) -> bool:
    """Whether a letter before parentheses is a factor of a product instead of a function."""
    if name in ("\\beta", "\\eta"):
        function = not (_names_symbol(parser, name[1:]) or _has_symbol(parser, index))
    else:
        function = name == "S" or (name in ("C", "D", "\\Phi") and _has_symbol(parser, index))
    return parser.choose(Ambiguity.letter_function) == function


#: Letters that are more often a factor than a function of one argument.
_PRODUCTS: Final = frozenset(("S", "C", "D", "H", "\\theta", "\\beta", "\\eta", "\\Phi"))


def _names_symbol(parser: Parser, name: str) -> bool:
    """Whether a symbol of the problem has this name, or the name with a subscript."""
    return any(symbol == name or symbol.startswith(f"{name}_") for symbol in parser.symbols)


def _has_symbol(parser: Parser, index: int) -> bool:
    """Whether a symbol of the problem occurs in the parentheses that open at `index`."""
    tokens = parser.tokens[index : group_end(parser.tokens, index)]
    return any(token.lstrip("\\") in parser.symbols for token in tokens)


def _letter_call(parser: Parser, name: str, builder: str, scripts: str, depth: int) -> Expression:
    start = parser.pos
    order: Expression | None = None
    power: Expression | None = None
    for script in scripts:
        parser.pos += 1
        if script == "_":
            order = parser.tex_argument(depth)
        else:
            power = parser.exponent(depth)
    arguments, separators = arguments_of(parser, depth)
    node = BUILDERS[builder](parser, order, arguments, separators)
    if node is None:
        raise parser.error(f"other arguments for {name.lstrip(chr(92))}", at=start)
    if power is None:
        return node
    if name == "L" and order is not None and parser.choose(Ambiguity.upper_index):
        # DLMF 18.5.12
        formula = "binomial(n + a, n)*hypgeom(1, 1, -n, a + 1, x)"
        return with_arguments(formula, {"n": order, "a": power, "x": arguments[0]})
    return Call("pow", (node, power))


def _after_scripts(tokens: list[str], index: int) -> tuple[int, str]:
    """The index of the first token after an optional subscript and an optional power.

    The second result has ``_`` for a subscript and ``^`` for a power, in the order of the text.
    """
    scripts = ""
    while (token := tokens[index]) in ("^", "_") and token not in scripts:
        scripts += token
        index += 1
        if tokens[index] == "{":
            index = group_end(tokens, index)
        elif tokens[index] == "-":
            index += 1
        if not tokens[index]:
            break
        index += 1
    return index, scripts


def _binomial(parser: Parser, _: str, depth: int) -> Expression | None:
    """Read ``C_5^2``, an older notation, as a binomial coefficient."""
    scripts = _after_scripts(parser.tokens, parser.pos)[1]
    if scripts != "_^" or not parser.choose(Ambiguity.binomial_letter):
        return None
    parser.pos += 1
    set_size = parser.tex_argument(depth)
    parser.pos += 1
    return Call("binomial", (set_size, parser.tex_argument(depth)))


def count_arguments(tokens: list[str], start: int) -> int:
    """The number of arguments in the parentheses that open at `start`.

    An odd number of plain bars counts as one separator, as in ``F(x|m)``.
    """
    floor = 2 if tokens[start] == "{" else 1
    separators = [tokens[index] for index, level in group_levels(tokens, start) if level == floor]
    commas = sum(map(separators.count, (",", ";", "\\middle|", "\\backslash")))
    return 1 + commas + separators.count("|") % 2


def _polygamma(parser: Parser, _: str, depth: int) -> Expression | None:
    r"""Read ``\psi^{(n)}(x)`` or ``\psi''(x)`` after ``\psi`` was read."""
    if _has_order(parser.tokens, parser.pos):
        parser.pos += 3
        order = parser.group(CLOSERS, depth)
        parser.expect("}", "a closing brace")
        return Call("polygamma", (order, _argument(parser, depth)))
    if primes := _primes(parser):
        return Call("polygamma", (Number(primes), _argument(parser, depth)))
    return None


def _dawson(parser: Parser, name: str, depth: int) -> Expression | None:
    """Read ``D_+(x)`` after the letter ``D`` was read."""
    if parser.tokens[parser.pos] != "_" or not (width := plus_sign(parser.tokens, parser.pos + 1)):
        return None
    parser.pos += 1 + width
    return _letter_call(parser, name, "dawson", "", depth)


def _primed(parser: Parser, name: str, depth: int) -> Expression | None:
    r"""Read ``\Gamma'(x)``, or a complementary elliptic integral ``K'(k)`` or ``E'(k)``.

    The letter must have exactly one prime, and a parenthesis must follow. The result is None in
    other cases, and for a symbol of the problem.
    """
    start = parser.pos
    if parser.tokens[start] not in ("'", "^") or _names_symbol(parser, name):
        return None
    primes = _primes(parser)
    if primes != 1:
        parser.pos = start
        return None
    if name == "\\Gamma":
        x = _argument(parser, depth)
        return Call("mul", (Call("gamma", (x,)), Call("digamma", (x,))))
    arguments, separators = arguments_of(parser, depth)
    integral = BUILDERS[name](parser, None, arguments, separators)
    node = complementary(integral) if integral is not None else None
    if node is None:
        raise parser.error("one argument", at=start)
    return node


def _argument(parser: Parser, depth: int) -> Expression:
    """Read parentheses with a single argument."""
    start = parser.pos
    arguments, _ = arguments_of(parser, depth)
    if len(arguments) != 1:
        raise parser.error("one argument", at=start)
    return arguments[0]


def _primes(parser: Parser) -> int:
    r"""Skip primes and return the number, as in ``\psi'(x)`` and ``\psi^{\prime}(x)``.

    If no argument follows the primes, nothing is skipped, and the result is 0.
    """
    tokens, index = parser.tokens, parser.pos
    index += tokens[index] == "^"
    braced = tokens[index] == "{"
    index += braced
    first_prime = index
    while tokens[index] == "'":
        index += 1
    count = index - first_prime
    if braced and tokens[index] != "}":
        return 0
    index += braced
    if not count or tokens[index] not in OPENERS:
        return 0
    parser.pos = index
    return count


def _harmonic(parser: Parser, name: str, depth: int) -> Expression | None:
    """Read a harmonic number ``H_n`` or ``H_n^{(m)}`` after ``H`` was read."""
    if parser.tokens[parser.pos] != "_" or _names_symbol(parser, name):
        return None
    index, scripts = _after_scripts(parser.tokens, parser.pos)
    if parser.tokens[index] in OPENERS:
        return None
    parser.pos += 1
    number = parser.tex_argument(depth)
    order: Expression = ONE
    if "^" in scripts and parser.tokens[parser.pos : parser.pos + 3] == ["^", "{", "("]:
        parser.pos += 3
        order = parser.group(CLOSERS, depth)
        parser.expect("}", "a closing brace")
    return harmonic_number(number, order)


def _has_order(tokens: list[str], start: int) -> bool:
    """Whether an order and an argument begin here, as in ``^{(n)}(x)``.

    If no argument follows the parentheses, the parentheses contain a power instead of an order.
    """
    if tokens[start : start + 3] != ["^", "{", "("]:
        return False
    end = group_end(tokens, start + 1)
    return end > start + 1 and tokens[end + 1 + (tokens[end + 1] == "{")] in OPENERS


def hypergeometric(parser: Parser, _: None, depth: int) -> Expression:
    """Read ``_2F_1(a, b; c; z)`` after the first underscore was read."""
    start = parser.pos - 1
    upper_count = parser.tex_argument(depth)
    parser.expect("F", "F of a hypergeometric function")
    parser.expect("_", "the order of a hypergeometric function")
    lower_count = parser.tex_argument(depth)
    if parser.tokens[parser.pos] not in OPENERS:
        raise parser.error("the arguments of a hypergeometric function")
    parser.pos += 1
    groups = _parameter_groups(parser, depth)
    if len(groups) == 1 and isinstance(upper_count, Number) and isinstance(lower_count, Number):
        split = upper_count.numerator
        groups = [groups[0][:split], groups[0][split:-1], groups[0][-1:]]
        if len(groups[1]) != lower_count.numerator:
            raise parser.error("as many parameters as the orders say", at=start)
    if len(groups) != 3 or len(groups[2]) != 1:
        raise parser.error("upper; lower; argument", at=start)
    upper, lower, (argument,) = groups
    counts = (Number(len(upper)), Number(len(lower)))
    return Call("hypgeom", (*counts, *upper, *lower, argument))


def hypergeometric_lists(parser: Parser, _: None, depth: int) -> Expression:
    """Read the notations ``hyper((a, b), (c,), z)`` and ``hypergeom([a, b], [c], z)``."""
    parser.pos += parser.tokens[parser.pos] in OPENERS
    lists: list[Arguments] = []
    while len(lists) < 2:
        if parser.tokens[parser.pos] not in OPENERS:
            raise parser.error("a list of parameters")
        parser.pos += 1
        lists += _parameter_groups(parser, depth)
        parser.expect(",", "a comma after the list")
    if len(lists) > 2:
        raise parser.error("two lists of parameters")
    argument = parser.group(CLOSERS, depth)
    upper, lower = lists
    return Call("hypgeom", (Number(len(upper)), Number(len(lower)), *upper, *lower, argument))


def _parameter_groups(parser: Parser, depth: int) -> list[Arguments]:
    """Read ``a, b; c; z``, or the matrix that SymPy prints, up to the closing parenthesis."""
    tokens = parser.tokens
    bar_state = parser.enter_brackets(separates=True)
    matrix = tokens[parser.pos].startswith("\\begin ")
    if matrix:
        parser.pos += 1
    groups: list[Arguments] = [[]]
    while True:
        token = tokens[parser.pos]
        if token in ("\\\\", ";", "|", "\\middle|") or token.startswith("\\end "):
            parser.pos += 1
            # The end of the matrix and the bar after it are one boundary.
            if not (token.startswith("\\end ") and tokens[parser.pos] in ("|", "\\middle|", ";")):
                groups.append([])
        elif token in CLOSERS:
            parser.pos += 1
            break
        elif token == "," or token == "&":
            parser.pos += 1
        else:
            groups[-1].append(parser.expression(depth))
    parser.bars, parser.separates = bar_state
    return groups


#: Letters with notations of their own, which are tried first.
_IRREGULAR: Final[dict[str, Callable[[Parser, str, int], Expression | None]]] = {
    "\\psi": _polygamma,
    "\\Gamma": _primed,
    "K": _primed,
    "E": _primed,
    "H": _harmonic,
    "D": _dawson,
    "C": _binomial,
}
#: Letters that name functions, by the number of arguments, or ``_`` for a subscript and arguments.
LETTERS: Final[dict[str, dict[str, str]]] = {
    "F": {"2": "F", "4": "hyp2f1"},
    "D": {"1": "dawson or elliptic"},
    "M": {"3": "hyp1f1"},
    "Q": {"2": "gamma_q"},
    "E": {"1": "E", "2": "E", "_": "expint"},
    "K": {"1": "K", "_": "besselk"},
    "W": {"1": "lambertw", "_": "lambertw"},
    "B": {"2": "betafunction", "3": "betafunction", "_": "betafunction"},
    "S": {"1": "fresnels"},
    "C": {"1": "fresnelc", "2": "binomial"},
    "J": {"_": "besselj"},
    "Y": {"_": "bessely"},
    "I": {"_": "besseli"},
    "P": {"2": "gamma_p", "_": "legendre"},
    "T": {"_": "chebyshevt"},
    "U": {"_": "chebyshevu"},
    "L": {"_": "laguerre or struve"},
    "H": {"1": "heaviside", "_": "hermite or struve"},
    "\\Gamma": {"1": "gammafunction", "2": "gammafunction"},
    "\\gamma": {"2": "lowergamma"},
    "\\zeta": {"1": "zeta", "2": "zeta"},
    "\\psi": {"1": "digamma", "2": "polygamma", "_": "polygamma"},
    "\\beta": {"1": "dirichlet_beta", "2": "betafunction", "_": "betafunction"},
    "\\eta": {"1": "dirichlet_eta"},
    "\\Beta": {"2": "betafunction", "_": "betafunction"},
    "\\Pi": {"2": "Pi", "3": "Pi"},
    "\\chi": {"_": "legendre_chi"},
    "\\Phi": {"1": "normal_cdf", "3": "lerchphi"},
    "\\theta": {"1": "heaviside"},
}
