r"""Finds the functions and the independent variable of differential equations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ....errors import ProblemError
from ..derivatives import DOTTED, LETTER, name_of, normal, operand, operators
from .pieces import DIFFERENTIALS

_PRIMED: Final = re.compile(
    r"(?<!\\)(?P<name>(?:\\(?:phi|psi|theta|varphi))|[A-Za-z](?:_(?:\d|\{\d+\}))?)\s*(?:\((?P<own>[a-z])\))?"
    r"\s*(?:'|\^\s*\{\s*\(\s*(?:\d+|[iv]+)\s*\)\s*\})(?:'*\s*\(\s*(?P<of>[a-z])\s*\))?"
)
APPLIED: Final = re.compile(
    rf"(?<![A-Za-z\\])(?P<name>{LETTER})\s*\(\s*(?P<of>[a-z]|\\theta|\\tau)\s*\)"
)
#: A function, or a letter alone, behind an operator such as d/dx; ``ends`` is None before a factor.
_OPERAND: Final = re.compile(
    rf"\s*(?P<name>{LETTER})\s*(?:\(\s*(?P<own>[a-z])\s*\))?\s*(?P<ends>(?=[-+=,;.)\]}}]|\Z))?"
)
_OPERATOR_NAME: Final = re.compile(r"\\operatorname\*?\s*\{[^{}]*\}")


def unknowns(
    text: str, formulas: Sequence[str], names: Sequence[str] = ()
) -> tuple[str, tuple[str, ...], list[str]]:
    """Find the independent variable and the functions.

    Args:
        text: the question, for messages.
        formulas: the equations and the conditions.
        names: letters and functions alone in the question.

    Returns:
        The variable, the functions, and the formulas. Operators and differentials in the formulas
        are written as derivatives of the functions.

    Raises:
        ProblemError: the functions or the variable are not clear.

    """
    formulas = [_with_operands(normal(formula)) for formula in formulas]
    variable, functions = _of_derivatives(text, " , ".join((*formulas, *names)))
    return (variable, functions, formulas) if functions else _of_differentials(text, formulas)


def _with_operands(formula: str) -> str:
    r"""Write the operator d/dx and the function y or y(x) behind the operator as ``\frac{dy}{dx}``.

    Raises:
        ProblemError: a factor follows y(x). The operator may then apply to a product.

    """
    for start, end, of, by in sorted(operators(formula), reverse=True):
        match = _OPERAND.match(formula, end)
        if of.strip() or match is None or name_of(match["name"]) in by or len({*by}) > 1:
            continue
        if match["own"] not in (None, *by) or not (match["own"] or match["ends"] is not None):
            continue
        if match["ends"] is None:
            raise ProblemError(f"{formula[start:]!r}: write brackets around what is differentiated")
        quotient = rf"\frac{{d^{{{len(by)}}} {match['name']}}}{{d {by[0]}^{{{len(by)}}}}}"
        formula = formula[:start] + quotient + formula[match.end() :]
    return formula


def _derivatives_in(joined: str) -> tuple[tuple[str, ...], list[str]]:
    """The functions whose derivatives occur in the text, and the variables of differentiation."""
    functions: list[str] = []
    variables: list[str] = []
    for quotient in operators(joined):
        variables += quotient.by
        of = re.fullmatch(rf"\s*({LETTER})\s*(?:\([a-z]\))?\s*", quotient.of)
        functions += [name_of(of[1])] if of else []
        if not quotient.of.strip():  # \frac{d}{dx}(x f(x))
            applied = APPLIED.finditer(operand(joined[quotient.end :])[0])
            functions += [name_of(match["name"]) for match in applied if match["of"] in quotient.by]
    for match in _PRIMED.finditer(joined):
        functions.append(name_of(match["name"]))
        variables += [name for name in (match["own"], match["of"]) if name]
    functions += [name_of(match[2] or match[3]) for match in DOTTED.finditer(joined)]
    return tuple(dict.fromkeys(functions)), variables


def _of_derivatives(text: str, joined: str) -> tuple[str, tuple[str, ...]]:
    """Find the independent variable and the functions, from the derivatives in the text.

    If the text has no derivative, both are empty.
    """
    names, variables = _derivatives_in(joined)
    if not names:
        return "", ()
    for match in APPLIED.finditer(joined):
        if name_of(match["name"]) in names:
            variables.append(name_of(match["of"]))
    written = set(variables)
    if len(written) > 1:
        raise ProblemError(f"{text!r}: several independent variables: {', '.join(sorted(written))}")
    if written:
        return written.pop(), names
    letters = set(re.findall(r"(?<![A-Za-z\\])([a-z])(?![A-Za-z(])", spaced(joined))) - {*names}
    likely = [letter for letter in "xts" if letter in letters]
    if DOTTED.search(joined):
        likely = likely or ["t"]
    if len(likely) > 1 and "x" not in names and {"x", "t"} <= {*likely}:
        raise ProblemError(f"{text!r}: is the independent variable x or t? write y(x) or y(t)")
    return (likely[0] if likely else "t" if "x" in names else "x"), names


def spaced(text: str) -> str:
    """Insert spaces into runs of at most three letters, so that each letter is a symbol."""
    text = _OPERATOR_NAME.sub(" ", text)
    return re.sub(r"(?<![\\A-Za-z])[A-Za-z]{1,3}(?![A-Za-z])", lambda m: " ".join(m[0]), text)


def _of_differentials(text: str, formulas: Sequence[str]) -> tuple[str, tuple[str, ...], list[str]]:
    """Rewrite an equation between differentials ``dx`` and ``dy`` as an equation for y'.

    The result is the independent variable, a tuple with only the function, and the new formulas.
    """
    letters = set(DIFFERENTIALS.findall(" ".join(formulas)))
    if len(letters) != 2:
        raise ProblemError(f"{text!r}: no function whose derivative is written")
    if letters in ({"x", "y"}, {"t", "x"}, {"t", "y"}):
        variable = "t" if "t" in letters else "x"
    elif "x" in letters or "t" in letters:
        variable = "x" if "x" in letters else "t"
    else:
        raise ProblemError(f"{text!r}: which of {' and '.join(sorted(letters))} is the function?")
    function = (letters - {variable}).pop()
    rewritten = [
        DIFFERENTIALS.sub(lambda m: " {1} " if m[1] == variable else f" {function}' ", formula)
        for formula in formulas
    ]
    return variable, (function,), rewritten
