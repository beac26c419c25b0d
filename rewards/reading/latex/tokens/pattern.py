"""The one regular expression that cuts a text into raw tokens."""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize

_SPACE = r"[\s~$\u200b-\u200f\u2060\u2061\u2063\u2064\ufeff]"
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+(?![0-9.]))?"
_SIZED = (
    r"(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\s*(?:\\(?:[A-Za-z]+|.)|[^\\A-Za-z0-9\s])?"
)
#: Commands (without the backslash) that choose a font for their argument and mean nothing else.
FONT = (
    r"(?:math(?:rm|sf|bf|it|normal|up|tt)|text(?:rm|it|bf|sf|tt|normal|up)?|operatorname\*?|mathop"
    r"|mathord|boldsymbol|bm|pmb|symup|symbf|symit|upright|mbox|hbox|rm|it|bf|sf)"
)
TEXT = (
    r"(?:operatorname\*?|mathrm|text(?:rm|it|bf|sf|tt|normal|up)?|mathop|mbox|mathsf|mathit|hbox)"
    r"\s*\{(?:[^{}\\$]|\\[,;:! ])*\}"
)
_ENVIRONMENT = (
    r"(?:begin\s*\{(?:array|tabular|alignedat|alignat\*?)\}\s*(?:\[[a-z]\]\s*)?\{[^{}]*\}"
    r"|(?:begin|end)\s*\{[A-Za-z]+\*?\})"
)
INVISIBLE = (
    r"(?:color|textcolor|hspace\*?|vspace\*?|h?v?phantom|label|tag\*?|mspace|leftroot|uproot|fontsize|hskip|mskip"
    r"|kern|mkern)(?![A-Za-z])(?:\s*\{[^{}]*\}|\s*-?[0-9.]+\s*(?:pt|em|ex|mu|mm|cm))"
)
_GAP = r"(?:\s|~|\\[,;:! ])*+"
_LABEL = (
    r"(?:\d{1,2}(?:\.\d{1,2})?[a-z]?'*|\*{1,3}|\\?#|\\(?:star|ast|d?dagger|sharp)"
    r"|i{1,3}|iv|vi{1,3}|[ABDE]|I{1,3}|IV)"
)
_MARK = (
    r"(?:\\(?:text(?:bf|rm|normal)?|math(?:bf|rm)|mbox)\s*)?"
    rf"\{{?(?:\\left)?[(\[]{_GAP}(?:\\(?:text|mathrm)\{{{_LABEL}\}}|{_LABEL}){_GAP}(?:\\right)?[)\]]\}}?"
)
#: The number of an equation at the end of its row. Only a wide space, or dots that lead to the
#: number, tell it from a factor; a label in a circle is never a factor.
_EQUATION_NUMBER: Final = re.compile(
    rf"(?:(?:(?:\\(?:q?quad|hfill?|enspace)(?![A-Za-z])|\\hspace\*?\{{[^{{}}]*\}}|(?:\\[,;:]\s*){{3}}){_GAP})++"
    rf"(?:\\[cl]?dots{_GAP})*+{_MARK}|(?<=[\w)}}\]])\s?(?:\\cdots{_GAP})++{_MARK}"
    rf"|(?<!ln)(?<![A-Za-z]{{3}})[ \t]{{3,}}\(\d{{1,2}}\)"
    rf"|(?:\\[cl]?dots{_GAP}|…)*(?:[①-⑳]|\\(?:text)?circled\s*\{{\d{{1,2}}\}})"
    r"|\\l?eqno(?![A-Za-z])[^&\n]*)[\s.,;~]*\Z"
)
#: The longest end of a text in which a number is looked for, so that the search takes linear time.
_LONGEST_NUMBER: Final = 80
#: A part of every gap before a number.
_GAPS: Final = ("quad", "dots", "space", "hfil", "   ", "\t\t", "\\,\\", "\\;\\", "\\:\\", "\\, ")
SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᐟ"
SUBSCRIPT = "₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"

TOKEN: Final = re.compile(
    rf"{_SPACE}*+(?:(?:\\[,;:!>\s/()\[\]]|(?<![0-9])%(?!\s*\Z)[^\n]*+(?:\n|\Z)){_SPACE}*+)*+"
    rf"([{{}}()^+\-/_=|,\[\]]|[A-Za-z]+"
    rf"|\\(?:{_SIZED}|{TEXT}|{_ENVIRONMENT}|{INVISIBLE}"
    rf"|(?:operatorname|abs)\*|[A-Za-z]+|\\(?:\*|\s*\[-?[0-9.]+\s*[a-z][a-z]\])?|.)"
    rf"|{_NUMBER}|[{SUPERSCRIPT}]+|[{SUBSCRIPT}]+|\*\*|<=|>=|!=|.|\Z)"
)


def plain_script(raised: str) -> str:
    """Write raised or lowered characters as plain characters: "-1" for "⁻¹"."""
    return normalize("NFKC", raised).replace("\N{MINUS SIGN}", "-").replace("ᐟ", "/")


def without_equation_number(text: str) -> str:
    r"""Remove the number of an equation at the end of a formula.

    >>> without_equation_number(r"\frac{\pi}{4}.\qquad (2)")
    '\\frac{\\pi}{4}.'

    """
    end = text[-_LONGEST_NUMBER:]
    # a bracket and a gap, before the expression is tried at each place of the text
    is_bracketed = end.rstrip(" \t\n\r\f\v.,;~}").endswith((")", "]")) and any(
        map(end.__contains__, _GAPS)
    )
    if not is_bracketed and "eqno" not in end and "circled" not in end and end.isascii():
        return text
    return text[:-_LONGEST_NUMBER] + _EQUATION_NUMBER.sub("", end)
