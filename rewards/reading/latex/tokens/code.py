"""Formulas in the notation of SymPy, NumPy, Maple and Mathematica, respelt for the reader.

A text is respelt only if it is code. Code has no LaTeX commands. Code has at least one of three
marks: ``*`` between operands, brackets after a capitalised name, and a name that only a program
has: with the prefix of a module, a percent sign or an underscore. In any other text ``gamma`` and
``E`` are letters. In a value, ``E`` and ``Pi`` alone are constants, as a value has no variables.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from .roles import IS_VALUE

#: Modules whose names stand before the names of functions.
_MODULES: Final = "(?:math|np|numpy|jnp|sympy|sp|sym|mpmath|cmath|mp|special|scipy|torch)"
_CODE: Final = re.compile(
    rf"[\w)\]]\s?\*\*?\s?[\w(]|(?<![A-Za-z])[A-Z][A-Za-z]+\[|\b{_MODULES}\.[A-Za-z]"
    r"|\b\d+j\b|\belliptic_[efkp]|\b[A-Za-z]\w+\([^()]{0,40}\(|\*\*"
    r"|(?<!\w)(?:%(?:e|i|pi)\b|_C\d)"
)
_MODULE: Final = re.compile(rf"(?<![\w.])(?:{_MODULES}\.){{1,2}}(?=[A-Za-z])")
_RATIONAL: Final = re.compile(
    r"\b(?:Rational|Fraction)\(\s?(-?\d{1,40})\s?,\s?(\d{1,40})\s?\)|\bInteger\(\s?(-?\d{1,40})\s?\)"
)
#: Names in code -> the names of the reader.
CALLED: Final = {
    "gamma": "gammafunction",
    "GAMMA": "gammafunction",
    "Gamma": "gammafunction",
    "beta": "BetaFunction",
    "Beta": "BetaFunction",
    "elliptic_f": "ellipticf",
    "elliptic_e": "elliptice",
    "elliptic_k": "elliptick",
    "elliptic_pi": "ellipticpi",
    "exp_polar": "exp",
    "re": "Re",
    "im": "Im",
    "power": "pow",
    "Power": "pow",
    "log": "logarithm",
    "Log": "Logarithm",
}
_ALONE: Final = {"I": r"\imaginaryI ", "E": r"\exponentialE ", "PI": r"\pi "}
_CALL: Final = re.compile(rf"(?<![\w\\])(?:{'|'.join(CALLED)})(?=\s?[(\[])")
_CONSTANT: Final = re.compile(
    r"(?<![\w\\.])(?:I|E|Pi|PI|%(?:e|i|pi))(?![\w(\[\'])|(?<![\w\\])E(?=\^\()"
)
_IMAGINARY: Final = re.compile(r"(?<![\w.])(\d+(?:\.\d*)?)[jJ](?!\w)")
_INTEGRATION: Final = re.compile(r"(?<!\w)(?:_C(?P<maple>\d)|[CK]\[(?P<wolfram>\d)\])")


def respelt(text: str, symbols: Collection[str]) -> str:
    """Rewrite program code in the reader's spelling. Another text is returned unchanged.

    Args:
        text: a formula.
        symbols: names of the problem. The names are not respelt.

    """
    if "\\" in text:
        return text
    if not _CODE.search(text):
        known = {*symbols, "I"}
        return _CONSTANT.sub(lambda m: _constant(m[0], known), text) if IS_VALUE in known else text
    text = _MODULE.sub("", text)
    text = _INTEGRATION.sub(r"C_\g<maple>\g<wolfram>", text)
    text = _RATIONAL.sub(lambda m: f"({m[1]}/{m[2]})" if m[1] else f"({m[3]})", text)
    text = _CALL.sub(lambda m: m[0] if m[0] in symbols else CALLED[m[0]], text)
    text = _IMAGINARY.sub(r"(\1*\\imaginaryI )", text)
    return _CONSTANT.sub(lambda m: _constant(m[0], symbols), text)


def _constant(name: str, symbols: Collection[str]) -> str:
    return name if name in symbols else _ALONE[name.lstrip("%").upper()]
