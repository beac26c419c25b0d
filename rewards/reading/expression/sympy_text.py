"""Reading of formulas as SymPy prints them (``2*x*exp(x**2)/3``).

SymPy prints Python's notation, which `rewards.reading.expression.infix` reads. Nothing is
evaluated. A formula may contain numbers, names, arithmetic, comparisons and calls of known
functions.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar, Final

from ..functions import CONSTANTS, RECORDS, spellings
from .build import ZERO, neg
from .infix import LIST, Notation, NotationError, unknown_functions
from .tree import FUNCTIONS, Call, Expression, Number, Symbol

#: The last condition of a Piecewise in a tree that is being read.
TRUE: Final = Call("true")
_COMPARISONS: Final = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
#: Functions and constants that are one object of SymPy's with the same arguments, and its name.
SAME: dict[str, str] = spellings("sympy")
#: SymPy's names that mean one function with so many arguments, another with more.
BY_COUNT = frozenset(name for name, times in Counter(SAME.values()).items() if times > 1)
#: SymPy's names of constants.
_NAMES: Mapping[str, Expression] = {SAME[c.name]: Call(c.name) for c in CONSTANTS}
#: Our names of functions, SymPy's, and those of Python and NumPy.
_FUNCTIONS: dict[str, str] = {
    **{name: name for name in RECORDS},
    **{theirs: ours for system in (SAME, spellings("python")) for ours, theirs in system.items()},
}
_BY_COUNT: dict[tuple[str, int], str] = {
    (theirs, RECORDS[ours].arity[0]): ours for ours, theirs in SAME.items() if theirs in BY_COUNT
}


class _SymPy(Notation):
    """The notation in which SymPy prints formulas."""

    system = "SymPy"
    token: ClassVar = re.compile(
        r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))"
        r"|(?P<name>[^\W\d]\w*)|(?P<sign>\*\*|[<>=!]=|[-+*/(),<>&|]))"
    )
    #: In Python, connectives bind more tightly than comparisons.
    binding: ClassVar = {
        **dict.fromkeys(_COMPARISONS, 1),
        "|": 2,
        "&": 3,
        "+": 4,
        "-": 4,
        "*": 5,
        "/": 5,
        "sign": 6,
        "^": 7,
    }
    relations: ClassVar = {**_COMPARISONS, "&": "and", "|": "or"}
    comparisons: ClassVar = frozenset(_COMPARISONS)
    has_pairs: ClassVar = True
    #: No formula of a problem file is longer or deeper; SymPy prints sums flat.
    most_characters: ClassVar = 32_768
    most_levels: ClassVar = 100
    most_brackets: ClassVar = 100

    def atom(self, name: str) -> Expression:
        if name == "True":
            return TRUE
        if keyword.iskeyword(name):
            raise NotationError(f"not in SymPy's notation: {name!r}")
        return _NAMES.get(name, Symbol(name))

    def call(self, name: str, args: tuple[Expression, ...]) -> Expression:
        if name == LIST:
            return Call(LIST, args)
        if name == "Piecewise":
            return piecewise(args)
        special = SPECIAL.get((name, len(args)))
        if special is not None:
            return special(args)
        ours = _BY_COUNT.get((name, len(args))) or _FUNCTIONS.get(name)
        if ours is None:
            raise NotationError(f"unknown function {name!r}")
        min_arguments, max_arguments = FUNCTIONS[ours]
        if len(args) < min_arguments or (max_arguments is not None and len(args) > max_arguments):
            raise NotationError(f"{name} with {len(args)} arguments")
        return Call(ours, args)

    def negative(self, value: Expression) -> Expression:
        return neg(value)


_SYMPY: Final = _SymPy()


def read_sympy(text: str) -> Expression:
    """Read a formula in SymPy's notation.

    Raises:
        ValueError: the formula cannot be read; the message says why.

    >>> from calculus_harness.rewards.reading.latex import to_latex
    >>> to_latex(read_sympy("2*x**2"))
    '2 x^{2}'

    """
    tree = _SYMPY.read(text)
    if unknown_functions(tree):  # a pair or True outside of Piecewise
        raise NotationError("not in SymPy's notation: a pair of values, or True")
    return tree


def piecewise(pairs: Iterable[Expression]) -> Expression:
    """Make the tree of a Piecewise from lists of a value and a condition."""
    arguments: list[Expression] = []
    for pair in pairs:
        if not isinstance(pair, Call) or pair.function != LIST or len(pair.args) != 2:
            raise NotationError("Piecewise takes pairs of a value and a condition")
        value, condition = pair.args
        arguments.append(value)
        if condition == TRUE:
            break
        arguments.append(condition)
    if not arguments:
        raise NotationError("an empty Piecewise")
    return Call("piecewise", tuple(arguments)) if len(arguments) > 1 else arguments[0]


#: Functions of SymPy that are written with others, by name and number of arguments.
SPECIAL: dict[tuple[str, int], Callable[[tuple[Expression, ...]], Expression]] = {
    ("Integer", 1): lambda args: args[0],
    ("S", 1): lambda args: args[0],  # SymPy's `sympify`
    ("Rational", 1): lambda args: args[0],
    ("Rational", 2): lambda args: Call("div", args),
    ("Pow", 2): lambda args: Call("pow", args),
    ("cbrt", 1): lambda args: Call("root", (args[0], Number(3))),
    ("Heaviside", 2): lambda args: Call("heaviside", args[:1]),
    ("sinc", 1): lambda args: Call("div", (Call("sin", args), args[0])),
    ("betainc", 4): lambda args: _betainc(*args),
}


def _betainc(a: Expression, b: Expression, low: Expression, high: Expression) -> Expression:
    lower, upper = (Call("beta_lower", (a, b, end)) for end in (low, high))
    return upper if low == ZERO else Call("add", (upper, Call("neg", (lower,))))
