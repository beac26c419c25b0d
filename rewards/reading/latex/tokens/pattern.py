"""The one regular expression that cuts a text into raw tokens."""

from __future__ import annotations

import re
from typing import Final

_SPACE = r"[\s~$\u200b-\u200f\u2060\u2061\u2063\u2064\ufeff]"
_NUMBER = (
    r"(?:[0-9]+(?:(?:\{,\}|\\,|\{\\,\})[0-9]{3}(?![0-9]))*(?:\.[0-9]*)?|\.[0-9]+)"
    r"(?:[eE][+-]?[0-9]+(?![0-9.]))?"
)
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
    r"\s*\{[^{}\\$]*\}"
)
_ENVIRONMENT = (
    r"(?:begin\s*\{(?:array|tabular|alignedat|alignat\*?)\}\s*(?:\[[a-z]\]\s*)?\{[^{}]*\}"
    r"|(?:begin|end)\s*\{[A-Za-z]+\*?\})"
)
INVISIBLE = (
    r"(?:color|textcolor|hspace\*?|vspace\*?|h?v?phantom|label|tag\*?|mspace|fontsize|hskip|mskip"
    r"|kern|mkern)(?![A-Za-z])(?:\s*\{[^{}]*\}|\s*-?[0-9.]+\s*(?:pt|em|ex|mu|mm|cm))"
)
SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱˣᵃᵇᵏᵐᵗ"
SUBSCRIPT = "₀₁₂₃₄₅₆₇₈₉ₐₑₖₘₙₓₚₜᵢⱼ"

TOKEN: Final = re.compile(
    rf"(?:{_SPACE}++|\\[,;:!>\s/()\[\]]|(?<![0-9])%[^\n]*+(?:\n|\Z))*+"
    rf"([{{}}()^+\-/_=|,\[\]]|[A-Za-z]+|{_NUMBER}"
    rf"|\\(?:{_SIZED}|{TEXT}|{_ENVIRONMENT}|{INVISIBLE}"
    rf"|operatorname\*|[A-Za-z]+|\\(?:\*|\s*\[-?[0-9.]+\s*[a-z][a-z]\])?|.)"
    rf"|[{SUPERSCRIPT}]+|[{SUBSCRIPT}]+|\*\*|<=|>=|!=|.|\Z)"
)
