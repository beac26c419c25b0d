"""Formulas of the search, as sums, products, powers and functions.

Welleck et al. used SymPy's trees, which have no negation, quotient or root. For example, 1/x is a
power, and -x is a product. Mutations, lengths and counts of nodes refer to such trees.
"""

from __future__ import annotations

from functools import lru_cache

from ....benchmarks.algebra.normal_form import Algebra, UnusableFormulaError, readable
from ....benchmarks.lample_charton.codec.prefix import PrefixError, to_prefix
from ....rewards.reading.expression.sympy_text import read_sympy
from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ....rewards.reading.latex import to_latex

X = Symbol("x")
HALF = Number(1, 2)
TRIGONOMETRIC = frozenset(("sin", "cos", "tan"))


class NoProblemError(ValueError):
    """A formula cannot be made into a problem. The message has the reason."""


class NormalForms:
    """Formulas in normal form, without SymPy.

    The normal forms of subterms are cached, because successive formulas have most subterms in
    common.

    >>> text(NormalForms().of(read_sympy("x + 2*x + sin(-x)/2")))
    '3*x - sin(x)/2'

    """

    #: The number of formulas that share an algebra, whose number of subterms is limited.
    SHARED = 64

    def __init__(self) -> None:
        self._algebra, self._used = Algebra(), 0

    def of(self, tree: Expression) -> Expression:
        """Bring a tree into normal form.

        Raises:
            NoProblemError: the formula has no value, or is too large.

        """
        if self._used == self.SHARED:
            self._algebra, self._used = Algebra(), 0
        self._used += 1
        try:
            return structure(self._algebra.node(tree))
        except UnusableFormulaError as error:
            self._used = self.SHARED  # what was refused may have filled the algebra
            raise NoProblemError(str(error)) from None


def structure(tree: Expression) -> Expression:
    """Replace quotients, roots and signs in a tree by powers and products.

    Nested sums become one sum.
    """
    if not isinstance(tree, Call) or not tree.args:
        return tree
    args = tuple(map(structure, tree.args))
    match tree.function:
        case "sqrt":
            return Call("pow", (args[0], HALF))
        case "neg":
            return _flat("mul", (Number(-1), args[0]))
        case "div":
            return _flat("mul", (args[0], Call("pow", (args[1], Number(-1)))))
        case "add" | "mul":
            return _flat(tree.function, args)
    return tree if args == tree.args else Call(tree.function, args)


def _flat(function: str, args: tuple[Expression, ...]) -> Expression:
    flat: list[Expression] = []
    for arg in args:
        inner = isinstance(arg, Call) and arg.function == function
        flat += arg.args if inner and isinstance(arg, Call) else (arg,)
    return Call(function, tuple(flat))


def latex(tree: Expression) -> str:
    """Write a formula as LaTeX in the usual notation, as prompts show it."""
    return to_latex(readable(tree))


def prefix(tree: Expression) -> str:
    """Write a formula as tokens for the models of Lample and Charton.

    The text is empty if a node has no token.
    """
    try:
        return " ".join(to_prefix(tree))
    except PrefixError:
        return ""


@lru_cache(maxsize=8192)
def read(formula: str) -> Expression:
    """Read a formula in SymPy's notation, and bring it into normal form.

    Raises:
        NoProblemError: the formula cannot be read, or has no normal form.

    """
    try:
        return NormalForms().of(read_sympy(formula))
    except NoProblemError:
        raise
    except ValueError as error:
        raise NoProblemError(str(error)) from None


# --- measures ---


def depth(tree: Expression) -> int:
    """The depth of the tree. A leaf has the depth 1."""
    args = tree.args if isinstance(tree, Call) else ()
    return 1 + max(map(depth, args), default=0)


def size(tree: Expression) -> int:
    """The number of nodes."""
    return sum(1 for _ in nodes_of(tree))


def terms(tree: Expression) -> int:
    """The number of plus signs in the formula, plus 1."""
    return 1 + sum(
        len(node.args) - 1
        for node in nodes_of(tree)
        if isinstance(node, Call) and node.function == "add"
    )


def functions(tree: Expression) -> set[str]:
    """The names of the functions and operations in the tree."""
    return {node.function for node in nodes_of(tree) if isinstance(node, Call)}


# --- text ---

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_NAMES = {"ln": "log", "abs": "Abs", "sgn": "sign", "pi": "pi", "e": "E", "i": "I"}


def text(tree: Expression) -> str:
    """Write a formula in SymPy's notation. The order of terms and factors may differ from SymPy's.

    >>> text(read("x**2/3 - 1/(x + 1) + sqrt(x)"))
    'x**2/3 + sqrt(x) - 1/(x + 1)'
    """
    return _text(tree)[0]


def _text(tree: Expression) -> tuple[str, int]:
    """Write a formula as text. Also return the binding power of its outermost operation."""
    if isinstance(tree, Symbol):
        return tree.name, _ATOM
    if isinstance(tree, Number):
        return _number(tree)
    match tree.function:
        case "add":
            return _sum([_text(arg)[0] for arg in reversed(tree.args)]), _SUM
        case "mul":
            return _product(tree.args)
        case "pow":
            return _power(*tree.args)
    name = _NAMES.get(tree.function, tree.function)
    if not tree.args:
        return name, _ATOM
    return f"{name}({', '.join(_text(arg)[0] for arg in tree.args)})", _ATOM


def _number(number: Number) -> tuple[str, int]:
    words = str(number.numerator)
    if number.denominator != 1:
        return f"{words}/{number.denominator}", _PRODUCT
    return words, _ATOM if number.numerator >= 0 else _SUM


def _sum(signed_terms: list[str]) -> str:
    positive = [term for term in signed_terms if not term.startswith("-")]
    negative = [term[1:] for term in signed_terms if term.startswith("-")]
    if not positive:
        return "-" + " - ".join(negative)
    return " + ".join(positive) + "".join(f" - {term}" for term in negative)


def _in_parentheses(tree: Expression, least: int) -> str:
    """Write a formula as text, in parentheses if its binding power is below ``least``."""
    words, binds = _text(tree)
    return words if binds >= least else f"({words})"


def _power(base: Expression, exponent: Expression) -> tuple[str, int]:
    if isinstance(exponent, Number) and exponent.denominator == 2 and abs(exponent.numerator) == 1:
        root = f"sqrt({_text(base)[0]})"
        return (root, _ATOM) if exponent.numerator > 0 else (f"1/{root}", _PRODUCT)
    if exponent == Number(-1):
        return f"1/{_in_parentheses(base, _POWER)}", _PRODUCT
    return f"{_in_parentheses(base, _ATOM)}**{_in_parentheses(exponent, _ATOM)}", _POWER


def _product(args: tuple[Expression, ...]) -> tuple[str, int]:
    numerator: list[str] = []
    denominator: list[str] = []
    sign = ""
    for arg in args:
        if isinstance(arg, Number):
            sign = "-" if arg.numerator < 0 else sign
            numerator += [str(abs(arg.numerator))] * (abs(arg.numerator) != 1)
            denominator += [str(arg.denominator)] * (arg.denominator != 1)
        elif (turned := _denominator(arg)) is not None:
            denominator.append(_in_parentheses(turned, _POWER))
        else:
            numerator.append(_in_parentheses(arg, _POWER))
    words = "*".join(numerator) or "1"
    if denominator:
        bottom = denominator[0] if len(denominator) == 1 else f"({'*'.join(denominator)})"
        words = f"{words}/{bottom}"
    return sign + words, _SUM if sign else _PRODUCT


def _denominator(arg: Expression) -> Expression | None:
    """The denominator of a power with a negative numeric exponent.

    For other formulas, the result is None.
    """
    if not (isinstance(arg, Call) and arg.function == "pow"):
        return None
    base, exponent = arg.args
    if not isinstance(exponent, Number) or exponent.numerator >= 0:
        return None
    if exponent == Number(-1):
        return base
    return Call("pow", (base, Number(-exponent.numerator, exponent.denominator)))
