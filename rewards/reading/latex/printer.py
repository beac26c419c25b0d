"""Printing of expression trees as unambiguous LaTeX, which the reader reads as the same tree."""

from __future__ import annotations

import re
from typing import Final

from ..expression.tree import Call, Expression, Number, Symbol
from ..functions import COMPARISONS, CONNECTIVES, RECORDS, names
from .special import LETTERS
from .tokens.names import GREEK

_SUM, _PRODUCT, _POWER, _ATOM = range(1, 5)

_Printed = tuple[str, int]

#: Functions whose powers are printed on the name: ``\\sin^{2}``.
_RAISED: Final = names(lambda f: f.bare and f.printed == "\\" + f.name)
_CONDITIONS: Final = frozenset(f.name for f in (*COMPARISONS, *CONNECTIVES))
_ARGUMENT: Final = re.compile(r"#(\d)")


def to_latex(expression: Expression) -> str:
    r"""Print an expression as plain LaTeX.

    Every function has parentheses and every quotient is a fraction. The text is therefore not
    ambiguous, and the reader returns the same tree.

    Args:
        expression: the tree.

    Returns:
        The LaTeX.

    >>> print(to_latex(Call("sin", (Symbol("x"),))))
    \sin\left(x\right)

    """
    return _print(expression)[0]


def _print(node: Expression) -> _Printed:
    """Print a tree as LaTeX. Return the LaTeX and the tree's precedence.

    Each subtree is printed only once.
    """
    if isinstance(node, Number):
        return _number(node)
    if isinstance(node, Symbol):
        return symbol(node.name), _ATOM
    name, args = node.function, node.args
    if not args and name in RECORDS:  # a system's empty list has no record
        return RECORDS[name].printed, _ATOM
    printed_args = [_print(arg) for arg in args]
    if name == "add":
        return _sum(args, printed_args), _SUM
    if name == "neg":
        return "-" + _negated(args[0], printed_args[0]), _SUM
    if name == "mul":
        return _product(args, printed_args), _PRODUCT
    if name == "pow":
        return _power(args, printed_args), _POWER
    if name in RECORDS and RECORDS[name].printed.startswith("#1!"):
        return _base(args[0], printed_args[0]) + RECORDS[name].printed[2:], _POWER
    return _call(name, args, [text for text, _ in printed_args])


def _number(node: Number) -> tuple[str, int]:
    sign = "-" if node.numerator < 0 else ""
    if node.denominator == 1:
        return str(node.numerator), _SUM if sign else _ATOM
    text = rf"{sign}\frac{{{abs(node.numerator)}}}{{{node.denominator}}}"
    return text, _SUM if sign else _PRODUCT


def symbol(name: str) -> str:
    r"""Print a symbol's name as LaTeX: ``C_1`` as ``C_{1}``, ``alpha`` as ``\alpha``."""
    accent, space, letter = name.partition(" ")
    if space:
        return rf"\{accent}{{{symbol(letter)}}}"
    stem, mark, subscript = name.partition("_")
    if stem in GREEK:
        stem = "\\" + stem
    elif stem == "constant":
        stem = r"\text{constant}"
    elif len(stem.rstrip("'")) > 1:
        stem = rf"\mathrm{{{stem}}}"
    return f"{stem}_{{{subscript}}}" if mark else stem


def _parenthesised(text: str) -> str:
    return rf"\left({text}\right)"


def _is(node: Expression, function: str) -> bool:
    return isinstance(node, Call) and node.function == function


def _negated(arg: Expression, printed: _Printed) -> str:
    text, binding = printed
    # A signed number keeps its minus; any other operand with one gets parentheses.
    return _parenthesised(text) if binding < _PRODUCT or isinstance(arg, Number) else text


def _base(arg: Expression, printed: _Printed) -> str:
    text, binding = printed
    # e^{..} reads as the exponential function, so a power of e gets parentheses.
    return _parenthesised(text) if binding < _ATOM or _is(arg, "e") else text


def _power(args: tuple[Expression, ...], printed_args: list[_Printed]) -> str:
    (base, exponent), raised = args, f"^{{{printed_args[1][0]}}}"
    # As usually written. With other exponents it might be read as an inverse function.
    is_natural_exponent = (
        isinstance(exponent, Number) and exponent.denominator == 1 and exponent.numerator > 1
    )
    if is_natural_exponent and isinstance(base, Call) and base.function in _RAISED:
        head = "\\" + base.function
        return head + raised + printed_args[0][0].removeprefix(head)
    return _base(base, printed_args[0]) + raised


def _sum(args: tuple[Expression, ...], printed_args: list[_Printed]) -> str:
    terms: list[str] = []
    for arg, (text, _) in zip(args, printed_args, strict=True):
        if _is(arg, "add"):
            text = _parenthesised(text)
        if not terms:
            terms.append(text)
        elif text.startswith("-"):
            terms.append(f" - {text[1:]}")
        else:
            terms.append(f" + {text}")
    return "".join(terms)


def _product(args: tuple[Expression, ...], printed_args: list[_Printed]) -> str:
    factors: list[str] = []
    previous = ""
    for arg, (text, binding) in zip(args, printed_args, strict=True):
        if binding < _PRODUCT or _is(arg, "mul"):
            text = _parenthesised(text)
        if previous:
            names_function = previous in LETTERS and text.startswith((r"\left(", "_"))
            mixed_number = previous.isdigit() and text.startswith(r"\frac")
            dotted = text[0].isdigit() or names_function or mixed_number
            factors.append(r" \cdot " if dotted else " ")
        factors.append(text)
        previous = text
    return "".join(factors)


def _call(name: str, args: tuple[Expression, ...], texts: list[str]) -> _Printed:
    if name == "div":
        return rf"\frac{{{texts[0]}}}{{{texts[1]}}}", _PRODUCT
    if name == "piecewise":
        return _cases(texts), _ATOM
    if name == "hypgeom":
        return _hypergeometric(args, texts), _POWER
    if name == "lambertw" and len(texts) == 2:
        return rf"W_{{{texts[1]}}}\left({texts[0]}\right)", _POWER
    record = RECORDS.get(name)
    printed = record.printed if record is not None else ""
    if name in _CONDITIONS:
        return printed[2:-2].join(texts), _SUM
    if "#" in printed:
        closed = printed.startswith("\\") and not printed.endswith(r"\right)")
        text = _ARGUMENT.sub(lambda match: texts[int(match[1]) - 1], printed)
        return text, _ATOM if closed else _POWER
    head = printed or rf"\operatorname{{{name.replace('_', '')}}}"
    if record is not None and record.ordered:
        head, texts = f"{head}_{{{texts[0]}}}", texts[1:]
    return rf"{head}\left({', '.join(texts)}\right)", _POWER


def _hypergeometric(args: tuple[Expression, ...], texts: list[str]) -> str:
    upper, lower = (arg.numerator if isinstance(arg, Number) else 0 for arg in args[:2])
    upper_parameters = ", ".join(texts[2 : 2 + upper])
    lower_parameters = ", ".join(texts[2 + upper : 2 + upper + lower])
    arguments = f"{upper_parameters}; {lower_parameters}; {texts[-1]}"
    return rf"{{}}_{{{upper}}}F_{{{lower}}}\left({arguments}\right)"


def _cases(texts: list[str]) -> str:
    rows = [
        rf"{value} & \text{{if }} {condition}"
        for value, condition in zip(texts[::2], texts[1::2], strict=False)
    ]
    if len(texts) % 2:
        rows.append(rf"{texts[-1]} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"
