"""Tables for the parser. Every token at the beginning of an operand has a handler."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from ..expression.build import IMAGINARY, PI, E, number
from ..expression.tree import Call, Expression, Number, Symbol
from . import builders, calls, forms, special, tables
from .errors import AlternativesError, NotClosedFormError, ReadError
from .parser import Handler, Parser
from .tokens.names import CONSTANT_WORDS, GREEK, NAMES, UNARY
from .tokens.roles import CLOSERS, DIFFERENTIAL, IN_PROBLEM, INFIX, IS_VALUE, POSTFIX
from .tokens.spelling import Vocabulary
from .tokens.words import VULGAR

Entry = tuple[Handler, Any]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


#: Notation that is not evaluated: the error and what it expects -> tokens.
_REFUSED: Final[dict[tuple[type[ReadError], str], tuple[str, ...]]] = {
    (NotClosedFormError, "a closed form, not an unevaluated integral"): ("\\int",),
    (NotClosedFormError, "a closed form, not a limit"): (
        ("\\lim", "\\limsup", "\\liminf", "\\varlimsup", "\\varliminf")
    ),
    (NotClosedFormError, "a closed form, not a derivative"): (
        ("\\partial", "\\nabla", "\\dv", "\\pdv")
    ),
    (NotClosedFormError, "a closed form, not an infinite series"): (
        ("\\dots", "\\ldots", "\\cdots", "\\dotsb", "\\dotsc", "\\ddots", "…", "⋯")
    ),
    (ReadError, "an expression without a differential"): (
        ("\\differential", "\\upright d", "\\dd")
    ),
    (ReadError, "an expression without a derivative"): ("'",),
    (ReadError, "a finite value"): ("\\infty",),
    (AlternativesError, "one answer, not \\pm"): ("\\pm",),
    (AlternativesError, "one answer, not \\mp"): ("\\mp",),
}


def _prefix() -> dict[str, Entry]:
    table: dict[str, Entry] = {
        "(": (Parser.group, CLOSERS),
        "[": (Parser.group, CLOSERS),
        "\\{": (forms.braces, None),
        "\\left.": (Parser.group, CLOSERS),
        "{": (forms.brace, None),
        "|": (forms.bars, None),
        "\\left|": (forms.delimited, ("abs", "\\right|")),
        "\\lfloor": (forms.delimited, ("floor", "\\rfloor")),
        "\\lceil": (forms.delimited, ("ceil", "\\rceil")),
        "-": (forms.negation, "-"),
        "+": (forms.negation, "+"),
        DIFFERENTIAL: (forms.differential, None),
        "\\hyper": (special.hypergeometric, None),
        "\\frac": (forms.fraction, None),
        "\\sqrt": (forms.radical, None),
        "\\radical": (forms.radical_sign, 2),
        "\\cuberoot": (forms.radical_sign, 3),
        "\\fourthroot": (forms.radical_sign, 4),
        "\\binom": (forms.binomial, None),
        "\\sum": (forms.series, "add"),
        "\\prod": (forms.series, "mul"),
    }
    for reason, names in _REFUSED.items():
        table |= dict.fromkeys(names, (forms.refused, reason))
    for accent in ("tilde", "hat", "bar", "vec", "overline", "widetilde", "widehat", "check"):
        table["\\" + accent] = (forms.accented, accent)
    table["\\fn hyper"] = (special.hypergeometric_lists, None)
    table["\\fn piecewise"] = (tables.piecewise, None)
    for environment in ("cases", "dcases", "rcases", "array", "matrix", "smallmatrix"):
        table[f"\\begin {environment}"] = (tables.cases, environment)
    for token in VULGAR.values():
        table[token] = (forms.vulgar, number(Fraction(token[1:])))
    for name in UNARY:
        table["\\" + name] = (calls.function, name)
    for name in builders.BUILDERS:
        table["\\fn " + name] = (special.named, name)
    for name in special.LETTERS:
        table[name] = (special.letter, name)
    for spelling, token in NAMES.items():
        if token in table:
            table.setdefault("\\" + spelling, table[token])
    for inverse, plain in (("a" + name, name) for name in UNARY if "a" + name in UNARY):
        table[f"\\a {inverse} {plain}"] = (calls.inverse_or_product, f"{inverse} {plain}")
    return table


PREFIX: Final = _prefix()


def _atoms() -> dict[str, Expression]:
    atoms: dict[str, Expression] = {str(value): Number(value) for value in range(101)}
    atoms |= {letter: Symbol(letter) for letter in _LETTERS if letter not in special.LETTERS}
    atoms |= {"\\" + name: Symbol(name) for name in GREEK if "\\" + name not in special.LETTERS}
    atoms |= {"e": E, "i": IMAGINARY, "\\pi": PI, "\\upright e": E, "\\upright i": IMAGINARY}
    atoms["\\catalan"] = Call("catalan")
    atoms["constant"] = Symbol(CONSTANT_WORDS[0])
    return atoms


_ATOMS: Final = _atoms()


@lru_cache(maxsize=512)
def vocabulary(symbols: frozenset[str]) -> Vocabulary:
    atoms = dict(_ATOMS)
    for name in symbols - {DIFFERENTIAL, IN_PROBLEM, IS_VALUE}:
        symbol = Symbol(name)
        if name in GREEK:
            atoms["\\" + name] = symbol
        atoms[name] = symbol
    canonical = frozenset((*atoms, *PREFIX, *INFIX, *POSTFIX))
    return Vocabulary(symbols, atoms, canonical)
