"""Texts of tables as expressions: LaTeX and SymPy's notation side by side, formulas in prose."""

from __future__ import annotations

import re
from collections.abc import Collection

from ...rewards.reading.expression.sympy_text import read_sympy
from ...rewards.reading.expression.tree import Expression
from ...rewards.reading.latex import ReadError, read, to_latex

#: What only LaTeX has, and what only Python's notation has.
_LATEX = re.compile(r"[\\$]|\^\s*\{|_\s*\{")
_PYTHON = re.compile(r"\*\*")
#: A call such as ``integrate(f, x)`` or ``Integral(f, (x, a, b))``.
_CALL = re.compile(r"\s*[iI]ntegra(?:te|l)\((?P<inside>.*)\)\s*", re.DOTALL)


class UnreadError(ValueError):
    """A text that cannot be read; ``offset`` is the place in it, where that is known."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


def tree_of(text: str, symbols: Collection[str] = ()) -> Expression:
    """The likeliest reading of a formula in either notation.

    Args:
        text: the formula.
        symbols: names that are symbols, whatever their letters.

    Raises:
        UnreadError: neither notation has such a formula; the message is that of the likelier one.

    >>> tree_of("x**2") == tree_of("x^{2}")
    True

    """
    latex = as_latex(text)
    try:
        return read(latex, symbols=symbols)[0].expression
    except ReadError as error:
        raise UnreadError(str(error), error.offset) from None


def as_latex(text: str) -> str:
    """A formula in LaTeX, from either notation.

    What has a power as Python writes it, and nothing of LaTeX, is SymPy's notation; so is what
    LaTeX's reader cannot read.

    Raises:
        UnreadError: it is SymPy's notation, and cannot be read.

    """
    text = text.strip()
    if _LATEX.search(text):
        return text
    if not _PYTHON.search(text):
        try:
            read(text)
        except ReadError:
            pass
        else:
            return text
    try:
        return to_latex(read_sympy(text))
    except ValueError as error:
        if _PYTHON.search(text):
            raise UnreadError(str(error)) from None
        return text


def problem_as_latex(text: str) -> str:
    r"""The text of a problem in LaTeX; of ``integrate(f, (x, a, b))`` the integral.

    Raises:
        UnreadError: a part of it cannot be read.

    >>> problem_as_latex("integrate(x**2, (x, 0, oo))")
    '\\int_{0}^{\\infty} x^{2} \\, d x'

    """
    call = _CALL.fullmatch(text)
    if call is None:
        return text if re.search(r"\\int|∫", text) else as_latex(text)
    parts = _arguments(call["inside"])
    if len(parts) != 2:
        raise UnreadError(f"an integral over {len(parts) - 1} variables")
    integrand, over = as_latex(parts[0]), parts[1].strip()
    limits = _arguments(over[1:-1]) if over.startswith("(") else [over]
    if len(limits) not in (1, 3):
        raise UnreadError("a range of integration has a variable and two ends")
    sign = r"\int"
    if len(limits) == 3:
        lower, upper = map(_end, limits[1:])
        sign += f"_{{{lower}}}^{{{upper}}}"
    return f"{sign} {integrand} \\, d {as_latex(limits[0])}"


def _end(text: str) -> str:
    text = text.strip()
    if text.lstrip("-") in ("oo", "inf", "infinity"):
        return ("-" if text.startswith("-") else "") + r"\infty"
    return as_latex(text)


def _arguments(text: str) -> list[str]:
    """The arguments of a call, at commas outside all brackets."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
