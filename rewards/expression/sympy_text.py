"""Formulas as SymPy prints them (``2*x*exp(x**2)/3``) to expression trees.

The text is Python's syntax, so Python's parser gives the structure; nothing is evaluated. Only the
forms below are read: numbers, names, arithmetic, comparisons, calls of known functions.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction

from ..functions import CONSTANTS, RECORDS, spellings
from .build import neg
from .tree import FUNCTIONS, Call, Expression, Number, Symbol

#: Longer texts are refused.
MAX_CHARACTERS = 32_768
MAX_DEPTH = 100
#: Digits of the longest number.
MAX_DIGITS = 1_000

_OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
}
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
#: Functions and constants that are one object of SymPy's with the same arguments, and its name.
SAME: dict[str, str] = spellings("sympy")
#: SymPy's names that mean one function with so many arguments, another with more.
BY_COUNT = frozenset(name for name, times in Counter(SAME.values()).items() if times > 1)
#: SymPy's names of constants.
_NAMES = {SAME[constant.name]: Call(constant.name) for constant in CONSTANTS}
#: Our names of functions, SymPy's, and those of Python and NumPy.
_FUNCTIONS: dict[str, str] = {
    **{name: name for name in RECORDS},
    **{theirs: ours for system in (SAME, spellings("python")) for ours, theirs in system.items()},
}
_BY_COUNT: dict[tuple[str, int], str] = {
    (theirs, RECORDS[ours].arity[0]): ours for ours, theirs in SAME.items() if theirs in BY_COUNT
}


def read_sympy(text: str) -> Expression:
    """Read a formula in SymPy's notation.

    Raises:
        ValueError: it cannot be read; the message says why.

    >>> from calculus_harness.rewards.latex import to_latex
    >>> to_latex(read_sympy("2*x**2"))
    '2 x^{2}'

    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"longer than {MAX_CHARACTERS} characters")
    try:
        body = ast.parse(text.strip(), mode="eval").body
        return _read(body, MAX_DEPTH)
    except SyntaxError as error:
        raise ValueError(f"not a formula in SymPy's notation: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise ValueError("nested too deeply") from None


def _read(node: ast.expr, depth: int) -> Expression:
    if not depth:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(node, ast.Constant):
        return _number(node.value)
    if isinstance(node, ast.Name):
        return _NAMES.get(node.id, Symbol(node.id))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _chain(node, depth)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _read(node.operand, depth - 1)
        return neg(inner) if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        sides = (_read(node.left, depth - 1), _read(node.comparators[0], depth - 1))
        return Call(_COMPARISONS[type(node.ops[0])], sides)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        sides = (_read(node.left, depth - 1), _read(node.right, depth - 1))
        return Call("and" if isinstance(node.op, ast.BitAnd) else "or", sides)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _call(node.func.id, node.args, depth)
    raise ValueError(f"not a formula in SymPy's notation: {ast.unparse(node)[:40]!r}")


def _chain(node: ast.BinOp, depth: int) -> Expression:
    """A left-nested chain of one kind of operator, however long, as one sum or product."""
    operator = _OPERATORS[type(node.op)]
    if operator in ("div", "pow"):
        return Call(operator, (_read(node.left, depth - 1), _read(node.right, depth - 1)))
    kinds = (ast.Mult,) if operator == "mul" else (ast.Add, ast.Sub)
    parts: list[Expression] = []
    here: ast.expr = node
    while isinstance(here, ast.BinOp) and isinstance(here.op, kinds):
        part = _read(here.right, depth - 1)
        parts.append(Call("neg", (part,)) if isinstance(here.op, ast.Sub) else part)
        here = here.left
    parts.append(_read(here, depth - 1))
    return Call("mul" if operator == "mul" else "add", tuple(reversed(parts)))


def _number(value: object) -> Expression:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"not a number: {value!r}")
    exact = Fraction(value) if isinstance(value, int) else Fraction(repr(value))
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > 3.33 * MAX_DIGITS:
        raise ValueError(f"a number of more than {MAX_DIGITS} digits")
    return Number(exact.numerator, exact.denominator)


def _call(name: str, arguments: list[ast.expr], depth: int) -> Expression:
    if name == "Piecewise":
        return _piecewise(arguments, depth)
    args = tuple(_read(argument, depth - 1) for argument in arguments)
    special = _SPECIAL.get((name, len(args)))
    if special is not None:
        return special(args)
    ours = _BY_COUNT.get((name, len(args))) or _FUNCTIONS.get(name)
    if ours is None:
        raise ValueError(f"unknown function {name!r}")
    fewest, most = FUNCTIONS[ours]
    if len(args) < fewest or (most is not None and len(args) > most):
        raise ValueError(f"{name} with {len(args)} arguments")
    return Call(ours, args)


def _piecewise(pairs: list[ast.expr], depth: int) -> Expression:
    parts: list[Expression] = []
    for pair in pairs:
        if not isinstance(pair, ast.Tuple) or len(pair.elts) != 2:
            raise ValueError("Piecewise takes pairs of a value and a condition")
        value, condition = pair.elts
        parts.append(_read(value, depth - 1))
        if isinstance(condition, ast.Constant) and condition.value is True:
            break
        parts.append(_read(condition, depth - 1))
    if not parts:
        raise ValueError("an empty Piecewise")
    return Call("piecewise", tuple(parts)) if len(parts) > 1 else parts[0]


_SPECIAL: dict[tuple[str, int], Callable[[tuple[Expression, ...]], Expression]] = {
    ("Integer", 1): lambda args: args[0],
    ("Rational", 1): lambda args: args[0],
    ("Rational", 2): lambda args: Call("div", args),
    ("Pow", 2): lambda args: Call("pow", args),
    ("cbrt", 1): lambda args: Call("root", (args[0], Number(3))),
    ("Heaviside", 2): lambda args: Call("heaviside", args[:1]),
    ("sinc", 1): lambda args: Call("div", (Call("sin", args), args[0])),
    ("betainc", 4): lambda args: Call(
        "add",
        (
            Call("beta_lower", (*args[:2], args[3])),
            Call("neg", (Call("beta_lower", (*args[:2], args[2])),)),
        ),
    ),
}
