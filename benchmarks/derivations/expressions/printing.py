r"""Printing of expressions: LaTeX as by SymPy's ``latex``, and plain text as by its ``str``.

The order of terms and factors is SymPy's (`terms.sort_key`, `terms.ordered_terms`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from ....rewards.expression.tree import Expression, Number, Symbol
from .terms import (
    CACHED,
    EULER,
    MINUS_ONE,
    base_and_exponent,
    factors_of,
    free,
    has,
    is_applied,
    is_negative,
    is_whole,
    leads_with_minus,
    negative,
    number,
    ordered_terms,
    power,
    sort_key,
    value_of,
)

_ENDS_IN_DIGIT = re.compile(r"[0-9][} ]*$")
_BEGINS_WITH_NUMBER = re.compile(r"(\d|\\frac{\d+}{\d+})")


@lru_cache(CACHED)
def latex(term: Expression) -> str:
    """The LaTeX of an expression."""
    head = term.function
    if isinstance(term, Number):
        return _number(term)
    if isinstance(term, Symbol):
        return term.name
    if head == "add":
        return _sum(term)
    if head == "mul":
        return _product(term)
    if head == "pow":
        return _power(term)
    if head in ("derivative", "integral"):
        return _derivative(term) if head == "derivative" else _integral(term)
    return _function(term, None)


def _number(value: Number) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    sign = "- " if value.numerator < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _sum(term: Expression) -> str:
    text = ""
    for place, one in enumerate(ordered_terms(term)):
        if place:
            minus = leads_with_minus(one)
            text += " - " if minus else " + "
            one = negative(one) if minus else one
        shown = latex(one)
        text += _braced(shown) if one.function == "add" else shown
    return text


def _product(term: Expression) -> str:
    """A product as one fraction."""
    sign = ""
    if leads_with_minus(term):
        term, sign = negative(term), "- "
        if term.function == "add":
            return f"- ({latex(term)})"
    above: list[Expression] = []
    below: list[Expression] = []
    for factor in factors_of(term):
        base, exponent = base_and_exponent(factor)
        if isinstance(factor, Number) and factor.denominator != 1:
            if factor.numerator != 1:
                above.append(number(factor.numerator))
            below.append(number(factor.denominator))
        elif factor.function in ("pow", "exp") and is_negative(exponent):
            below.append(power(base, negative(exponent)))
        else:
            above.append(factor)
    if not below:
        return sign + _factors(list(factors_of(term)))
    return rf"{sign}\frac{{{_factors(above)}}}{{{_factors(below)}}}"


def _factors(factors: list[Expression]) -> str:
    if len(factors) < 2:
        return latex(factors[0]) if factors else "1"
    text = last = ""
    factors = sorted(factors, key=sort_key)
    for place, factor in enumerate(factors):
        shown = latex(factor)
        if _needs_brackets(factor, place == 0, place == len(factors) - 1):
            shown = _braced(shown)
        if _ENDS_IN_DIGIT.search(last) and _BEGINS_WITH_NUMBER.match(shown):
            text += r" \cdot "
        elif text:
            text += " "
        text += shown
        last = shown
    return text


def _needs_brackets(factor: Expression, first: bool, last: bool) -> bool:
    if factor.function == "mul":
        if not first and leads_with_minus(factor):
            return True
    elif factor.function == "add" or is_negative(factor):
        return True
    return not last and has(factor, "integral")


def _power(term: Expression) -> str:
    base, exponent = term.args
    if isinstance(exponent, Number):
        order = exponent.denominator
        if abs(exponent.numerator) == 1 and order != 1:
            root = rf"\sqrt{'' if order == 2 else f'[{order}]'}{{{latex(base)}}}"
            return rf"\frac{{1}}{{{root}}}" if exponent.numerator < 0 else root
        if exponent.numerator < 0:
            return _product(term)
    if _is_function(base) and base != EULER:
        return _function(base, latex(exponent))
    shown = latex(base)
    if not (base.function == "symbol" or (is_whole(base) and not leads_with_minus(base))):
        shown = _braced(shown)
    return f"{shown}^{{{latex(exponent)}}}"


def _is_function(term: Expression) -> bool:
    return term.function in ("exp", "ln", "sin", "cos") or is_applied(term)


def _function(term: Expression, exponent: str | None) -> str:
    raised = "" if exponent is None else f"^{{{exponent}}}"
    if term == EULER:
        return "e"
    if term.function == "exp":
        text = f"e^{{{latex(term.args[0])}}}"
        return text if exponent is None else rf"{_braced(text)}{raised}"
    inside = rf"{{\left({','.join(map(latex, term.args))} \right)}}"
    if term.function == "ln":
        return rf"\log{inside}{raised}"
    name = term.function if is_applied(term) else f"\\{term.function}"
    return f"{name}{raised}{inside}"


def _derivative(term: Expression) -> str:
    inner, *variables = term.args
    d = r"\partial" if len(free(inner)) > 1 else "d"
    below = ""
    for name, times in reversed(_runs(variables)):
        below += f"{d} {name}" if times == 1 else f"{d} {name}^{{{times}}}"
    order = len(variables)
    above = d if order == 1 else f"{d}^{{{order}}}"
    return rf"\frac{{{above}}}{{{below}}} {_operand(inner)}"


def _runs(variables: list[Expression]) -> list[tuple[str, int]]:
    runs: list[tuple[str, int]] = []
    for variable in variables:
        name = latex(variable)
        if runs and runs[-1][0] == name:
            runs[-1] = (name, runs[-1][1] + 1)
        else:
            runs.append((name, 1))
    return runs


def _integral(term: Expression) -> str:
    inner, *variables = term.args
    ends = "".join(rf"\, d{latex(variable)}" for variable in variables)
    count = len(variables)
    sign = rf"\{'i' * count}nt" if count <= 4 else r"\int" * count
    return f"{sign} {_operand(inner)}{ends}"


def _operand(inner: Expression) -> str:
    if inner.function == "add" or leads_with_minus(inner):
        return _braced(latex(inner))
    return latex(inner)


def _braced(text: str) -> str:
    return rf"\left({text}\right)"


# --- the plain form ---


@lru_cache(CACHED)
def plain(term: Expression) -> str:
    """An expression as SymPy's ``str`` prints it; the released code searches this text."""
    head = term.function
    if isinstance(term, Number):
        return str(value_of(term))
    if isinstance(term, Symbol):
        return term.name
    if head == "add":
        text = ""
        for place, one in enumerate(ordered_terms(term)):
            shown = plain(one)
            if place:
                text += f" - {shown[1:]}" if shown.startswith("-") else f" + {shown}"
            else:
                text = shown
        return text
    if head == "mul":
        return _plain_product(term)
    if head == "pow":
        base, exponent = term.args
        if exponent == MINUS_ONE:
            return f"1/{_plain_atom(base)}"
        return f"{_plain_atom(base)}**{_plain_atom(exponent)}"
    if term == EULER:
        return "E"
    if head == "derivative":
        runs = (f"({name}, {n})" if n > 1 else name for name, n in _runs(list(term.args[1:])))
        return f"Derivative({plain(term.args[0])}, {', '.join(runs)})"
    name = {"integral": "Integral", "ln": "log"}.get(head, head)
    return f"{name}({', '.join(map(plain, term.args))})"


def _plain_product(term: Expression) -> str:
    sign = ""
    if leads_with_minus(term):
        term, sign = negative(term), "-"
    above: list[str] = []
    below: list[str] = []
    for factor in sorted(factors_of(term), key=sort_key):
        base, exponent = base_and_exponent(factor)
        if isinstance(factor, Number) and factor.denominator != 1:
            if factor.numerator != 1:
                above.append(str(factor.numerator))
            below.append(str(factor.denominator))
        elif factor.function == "pow" and is_negative(exponent):
            below.append(_plain_atom(power(base, negative(exponent)), tight=False))
        else:
            above.append(_plain_atom(factor, tight=False))
    text = sign + ("*".join(above) or "1")
    if len(below) == 1:
        return f"{text}/{below[0]}"
    return f"{text}/({'*'.join(below)})" if below else text


def _plain_atom(term: Expression, tight: bool = True) -> str:
    loose = ("add", "mul", "pow") if tight else ("add",)
    rational = isinstance(term, Number) and (term.denominator != 1 or term.numerator < 0)
    shown = plain(term)
    return f"({shown})" if term.function in loose or rational else shown
