r"""Printing of expressions: LaTeX as by SymPy's ``latex``, and plain text as by its ``str``.

The order of terms and factors is SymPy's (`terms.sort_key`, `terms.ordered_terms`).
"""

from __future__ import annotations

import re
from fractions import Fraction

from .terms import (
    ADD,
    APPLY,
    COS,
    DERIVATIVE,
    EULER,
    EXP,
    INTEGRAL,
    LOG,
    MINUS_ONE,
    MUL,
    NUMBER,
    POW,
    SIN,
    SYMBOL,
    Term,
    base_and_exponent,
    factors_of,
    has,
    leads_with_minus,
    negative,
    number,
    ordered_terms,
    power,
    sort_key,
)

_ENDS_IN_DIGIT = re.compile(r"[0-9][} ]*$")
_BEGINS_WITH_NUMBER = re.compile(r"(\d|\\frac{\d+}{\d+})")
_FUNCTIONS = (EXP, LOG, SIN, COS, APPLY)


def latex(term: Term) -> str:
    """The LaTeX of an expression."""
    if term._latex is None:
        term._latex = _latex(term)
    return term._latex


def _latex(term: Term) -> str:
    head = term.head
    if head == NUMBER:
        return _number(term.value)
    if head == SYMBOL:
        return str(term.value)
    if head == ADD:
        return _sum(term)
    if head == MUL:
        return _product(term)
    if head == POW:
        return _power(term)
    if head in _FUNCTIONS:
        return _function(term, None)
    return _derivative(term) if head == DERIVATIVE else _integral(term)


def _number(value: int | Fraction) -> str:
    if isinstance(value, int):
        return str(value)
    sign = "- " if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _sum(term: Term) -> str:
    text = ""
    for place, one in enumerate(ordered_terms(term)):
        if place:
            minus = leads_with_minus(one)
            text += " - " if minus else " + "
            one = negative(one) if minus else one
        shown = latex(one)
        text += _braced(shown) if one.head == ADD else shown
    return text


def _product(term: Term) -> str:
    """A product as one fraction."""
    sign = ""
    if leads_with_minus(term):
        term, sign = negative(term), "- "
        if term.head == ADD:
            return f"- ({latex(term)})"
    above: list[Term] = []
    below: list[Term] = []
    for factor in factors_of(term):
        base, exponent = base_and_exponent(factor)
        if factor.head == NUMBER and isinstance(factor.value, Fraction):
            if factor.value.numerator != 1:
                above.append(number(factor.value.numerator))
            below.append(number(factor.value.denominator))
        elif factor.head in (POW, EXP) and exponent.head == NUMBER and exponent.value < 0:
            below.append(power(base, number(-exponent.value)))
        else:
            above.append(factor)
    if not below:
        return sign + _factors(list(factors_of(term)))
    return rf"{sign}\frac{{{_factors(above)}}}{{{_factors(below)}}}"


def _factors(factors: list[Term]) -> str:
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


def _needs_brackets(factor: Term, first: bool, last: bool) -> bool:
    if factor.head == MUL:
        if not first and leads_with_minus(factor):
            return True
    elif factor.head == ADD or (factor.head == NUMBER and factor.value < 0):
        return True
    return not last and has(factor, INTEGRAL)


def _power(term: Term) -> str:
    base, exponent = term.args
    if exponent.head == NUMBER:
        exact = Fraction(exponent.value)
        if abs(exact.numerator) == 1 and exact.denominator != 1:
            order = "" if exact.denominator == 2 else f"[{exact.denominator}]"
            root = rf"\sqrt{order}{{{latex(base)}}}"
            return rf"\frac{{1}}{{{root}}}" if exact < 0 else root
        if exact < 0:
            return _product(term)
    if base.head in _FUNCTIONS and base != EULER:
        return _function(base, latex(exponent))
    shown = latex(base)
    if not (
        base.head == SYMBOL
        or (base.head == NUMBER and isinstance(base.value, int) and base.value >= 0)
    ):
        shown = _braced(shown)
    return f"{shown}^{{{latex(exponent)}}}"


def _function(term: Term, exponent: str | None) -> str:
    raised = "" if exponent is None else f"^{{{exponent}}}"
    if term == EULER:
        return "e"
    if term.head == EXP:
        text = f"e^{{{latex(term.args[0])}}}"
        return text if exponent is None else rf"{_braced(text)}{raised}"
    inside = rf"{{\left({','.join(map(latex, term.args))} \right)}}"
    if term.head == LOG:
        return rf"\log{inside}{raised}"
    name = term.value if term.head == APPLY else f"\\{term.head}"
    return f"{name}{raised}{inside}"


def _derivative(term: Term) -> str:
    inner, *variables = term.args
    d = r"\partial" if len(inner.free) > 1 else "d"
    below = ""
    for name, times in reversed(_runs(variables)):
        below += f"{d} {name}" if times == 1 else f"{d} {name}^{{{times}}}"
    order = len(variables)
    above = d if order == 1 else f"{d}^{{{order}}}"
    return rf"\frac{{{above}}}{{{below}}} {_operand(inner)}"


def _runs(variables: list[Term]) -> list[tuple[str, int]]:
    runs: list[tuple[str, int]] = []
    for variable in variables:
        name = latex(variable)
        if runs and runs[-1][0] == name:
            runs[-1] = (name, runs[-1][1] + 1)
        else:
            runs.append((name, 1))
    return runs


def _integral(term: Term) -> str:
    inner, *variables = term.args
    ends = "".join(rf"\, d{latex(variable)}" for variable in variables)
    count = len(variables)
    sign = rf"\{'i' * count}nt" if count <= 4 else r"\int" * count
    return f"{sign} {_operand(inner)}{ends}"


def _operand(inner: Term) -> str:
    if inner.head == ADD or leads_with_minus(inner):
        return _braced(latex(inner))
    return latex(inner)


def _braced(text: str) -> str:
    return rf"\left({text}\right)"


# --- the plain form ---


def plain(term: Term) -> str:
    """An expression as SymPy's ``str`` prints it; the released code searches this text."""
    if term._plain is None:
        term._plain = _plain(term)
    return term._plain


def _plain(term: Term) -> str:
    head = term.head
    if head in (NUMBER, SYMBOL):
        return str(term.value)
    if head == ADD:
        text = ""
        for place, one in enumerate(ordered_terms(term)):
            shown = plain(one)
            if place:
                text += f" - {shown[1:]}" if shown.startswith("-") else f" + {shown}"
            else:
                text = shown
        return text
    if head == MUL:
        return _plain_product(term)
    if head == POW:
        base, exponent = term.args
        if exponent == MINUS_ONE:
            return f"1/{_plain_atom(base)}"
        return f"{_plain_atom(base)}**{_plain_atom(exponent)}"
    if term == EULER:
        return "E"
    if head == DERIVATIVE:
        runs = (f"({name}, {n})" if n > 1 else name for name, n in _runs(list(term.args[1:])))
        return f"Derivative({plain(term.args[0])}, {', '.join(runs)})"
    name = {APPLY: term.value, INTEGRAL: "Integral"}.get(head, head)
    return f"{name}({', '.join(map(plain, term.args))})"


def _plain_product(term: Term) -> str:
    sign = ""
    if leads_with_minus(term):
        term, sign = negative(term), "-"
    above: list[str] = []
    below: list[str] = []
    for factor in sorted(factors_of(term), key=sort_key):
        base, exponent = base_and_exponent(factor)
        if factor.head == NUMBER and isinstance(factor.value, Fraction):
            if factor.value.numerator != 1:
                above.append(str(factor.value.numerator))
            below.append(str(factor.value.denominator))
        elif factor.head == POW and exponent.head == NUMBER and exponent.value < 0:
            below.append(_plain_atom(power(base, number(-exponent.value)), tight=False))
        else:
            above.append(_plain_atom(factor, tight=False))
    text = sign + ("*".join(above) or "1")
    if len(below) == 1:
        return f"{text}/{below[0]}"
    return f"{text}/({'*'.join(below)})" if below else text


def _plain_atom(term: Term, tight: bool = True) -> str:
    loose = (ADD, MUL, POW) if tight else (ADD,)
    rational = term.head == NUMBER and (not isinstance(term.value, int) or term.value < 0)
    shown = plain(term)
    return f"({shown})" if term.head in loose or rational else shown
