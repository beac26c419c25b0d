"""The kind of a statement: an answer, a definition, a condition, a check, a lone constant."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import IntEnum
from typing import NamedTuple

from .boxes import LONGEST
from .clean import clean
from .statements import Chain

_GREEK = (
    r"\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma"
    r"|tau|phi|varphi|psi|omega|Phi|Psi|Omega)"
)
_LETTER = rf"(?:[A-Za-z]|[α-ωΑ-Ω]|{_GREEK})"
_STYLES = r"\\(?:mathcal|mathrm|mathit|mathbf|mathscr|mathbb|text|textit|boldsymbol|operatorname)"
_STYLE = rf"{_STYLES}\s?\{{\s?[A-Za-z]\s?\}}"
_SUBSCRIPT = r"(?:_\s?(?:\{[^{}]{0,20}\}|\w))?"
_ARGUMENT = rf"(?:\s?(?:\\left)?\(\s?{_LETTER}{_SUBSCRIPT}\s?(?:\\right)?\))?"
_NAME = re.compile(rf"(?:{_LETTER}|{_STYLE}){_SUBSCRIPT}{_ARGUMENT}")
# Usual names of antiderivatives.
_ANSWER_NAME = re.compile(
    rf"(?:[FIJGHSYyPT]|\\(?:Phi|Psi)|Φ|Ψ|{_STYLES}\s?\{{\s?[FIJGS]\s?\}}|\\mathcal\s?[FI])"
    rf"{_SUBSCRIPT}{_ARGUMENT}"
    r"|(?:[Tt]he )?(?:[Ff]inal )?(?:[Aa]nswer|[Aa]ntiderivative|[Ii]ntegral|[Rr]esult|[Ss]olution)"
)
_CONSTANT_NAME = (
    rf"(?:[CKck]|{_STYLES}\s?\{{\s?[CKck]\s?\}}|\\mathcal\s?C){_SUBSCRIPT}(?:'|\^\{{?\\prime\}}?)?"
)
#: A constant of integration and nothing else.
CONSTANT = re.compile(rf"[-+±]?\s?{_CONSTANT_NAME}")
_PLUS_CONSTANT = re.compile(
    rf"(?:[-+±]|\\pm)\s*(?:\\[,;:! ]\s*)*(?:{_CONSTANT_NAME}|\\ln\s?\|?[CKck]\|?)(?![A-Za-z^(_])"
)
_CONSTANT_PLUS = re.compile(rf"{_CONSTANT_NAME}\s*[-+]")
#: Only this many different links of a chain are kept beside its last, because each is judged as an
#: answer: the longest chain of `responses.json` has five.
_MOST_STEPS = 32
#: Longer links are no name or constant; ``\operatorname{C}_{\text{const}}`` has 31 characters.
_LONGEST_CONSTANT = 40
# Only the name of an antiderivative: "F(x) + C".
_MERE_NAME = re.compile(
    rf"[FGHfgh]\s?(?:\\left)?\(\s?{_LETTER}\s?(?:\\right)?\)\s*\+\s*{_CONSTANT_NAME}"
)
# The name of a function: "\log".
_LONE_COMMAND = re.compile(rf"(?!{_GREEK}\Z|\\(?:pi|infty|hbar|ell)\Z)\\[A-Za-z]+")
_NUMBER = re.compile(
    r"[-+]?[\d.,]+|[-+]?\\d?frac\s?\{?\d+\}?\s?\{?\d+\}?|[-+]?\d+/\d+|\\pi|π|e|\\infty"
)
_DIFFERENTIAL = re.compile(
    r"(?:\A|[^A-Za-z\\_^{]|\\[,;!:])(?:d|\\mathrm\s?\{\s?d\s?\}|\\mathrm\s?d|\\dd)\s?"
    r"(?:[A-Za-z]|\\(?:theta|phi|tau|xi|eta))\s?\)?\Z"
)
_D = r"(?:d|\\mathrm\s?\{\s?d\s?\}|\\mathrm\s?d|\\partial|\\text\{\s?d\s?\})"
_DERIVATIVE = re.compile(
    # d/dx, dy/dx, d F(x)/dx
    rf"\\[dtc]?frac\s?\{{\s?{_D}(?:\^\{{?2\}}?)?\s?(?:[A-Za-z]{_SUBSCRIPT}|\\(?:theta|phi))?"
    rf"(?:\([a-z]\))?\s?\}}\s?\{{\s?{_D}\s?(?:[A-Za-z]|\\[a-z]+)(?:\^\{{?2\}}?)?\s?\}}"
    rf"|\\[dtc]?frac\s?\{{\s?{_D}(?![A-Za-z])[^{{}}]{{0,80}}\}}\s?\{{\s?{_D}\s?[a-z]"
    r"|\b[dD]\s?(?:[A-Za-z]|\([^()]{0,60}\))?\s?/\s?d[a-z]\b|\bD_\{?[a-z]\}?"
    # primes
    rf"|(?:{_LETTER}|[)\]|]){_SUBSCRIPT}\s?(?:'|\^\s?\{{?\s?\\prime|\\prime)"
)
_INTEGRAL = re.compile(r"\\(?:i*int|oint)(?![A-Za-z])|[∫∬]")
_DEFINITE = re.compile(r"int(?:\\limits)?\s?_")
_ELLIPSIS = re.compile(r"\\(?:[lc]?dots|dotsb|dotsc)(?![A-Za-z])|\.\.\.|…|⋯")
_MATHEMATICS = re.compile(r"[\w\\]")


class Kind(IntEnum):
    """The kind of a chain. The higher, the more likely it is an answer."""

    NO_ANSWER = 0  # a lone constant, a definition, a condition, a check, an integral
    LONE = 1  # a single symbol or number: an answer only if it is called one
    IDENTITY = 2  # an equation of two expressions
    PLAIN = 3  # an expression
    STRONG = 4  # ends in "+ C", or begins with "\int f dx =" or "F(x) ="


class Statement(NamedTuple):
    """A classified chain: its last link, its kind, and the reason."""

    answer: str
    kind: Kind
    reason: str = ""
    links: int = 1
    has_constant: bool = False
    steps: tuple[str, ...] = ()  # the links before the answer, if they are expressions, too
    valued: bool = False  # a name has a number for its value


def judge(chain: Chain, root: str | None = None) -> Statement:
    """Classify a chain. ``root`` is given when the chain continues an earlier formula."""
    links = chain.links
    if len(links) > 1 and _ELLIPSIS.search(links[-1]) and not _ELLIPSIS.search(links[-2]):
        links = links[:-1]  # the closed form before its series
    answer = clean(links[-1])
    count = 1
    if len(links) > 1:
        if root is None:
            root = links[0]
        count = sum(map(bool, map(str.strip, links)))
    about_integral = bool(root) and has_integral(root or "")
    definite = about_integral and _DEFINITE.search(root or "") is not None
    root = clean(root) if root and not about_integral else ""
    steps: tuple[str, ...] = ()
    if count > 1:
        before = dict.fromkeys(links[1 if _NAME.fullmatch(root) else 0 : -1])
        steps = tuple(filter(None, map(clean, list(before)[-_MOST_STEPS:])))
    reason = _refusal(answer, root, about_integral, chain.bound)
    if reason:
        return Statement(answer, Kind.NO_ANSWER, reason, count, steps=steps)
    plus = has_constant(answer)
    named = bool(root) and _ANSWER_NAME.fullmatch(root) is not None
    small = len(answer) < _LONGEST_CONSTANT and (
        _NUMBER.fullmatch(answer) is not None or _NAME.fullmatch(answer) is not None
    )
    if root:
        if small and not named:
            return Statement(answer, Kind.NO_ANSWER, "a value", count, steps=steps)
        kind = Kind.STRONG if plus or (named and not small) else Kind.IDENTITY
    elif plus or about_integral:
        unfinished = definite or has_integral(answer)
        kind = Kind.IDENTITY if unfinished and not plus else Kind.STRONG
    elif small or has_integral(answer):
        kind = Kind.LONE
    else:
        kind = Kind.PLAIN
    valued = bool(root) and _VARIABLE.search(_COMMAND.sub(" ", answer)) is None
    return Statement(answer, kind, "", count, plus, steps, valued)


def _refusal(answer: str, root: str, about_integral: bool, bound: bool) -> str:
    """Why a chain with this last link and root is not an answer; empty if it may be one."""
    if bound:
        return "a condition"
    if not answer or not _MATHEMATICS.search(answer):
        return "nothing on the right of the last ="
    if len(answer) > LONGEST:
        return "too long"
    short = len(answer) < _LONGEST_CONSTANT
    if short and CONSTANT.fullmatch(answer):
        return "a lone constant"
    if short and (_MERE_NAME.fullmatch(answer) or _LONE_COMMAND.fullmatch(answer)):
        return "a name"
    if root:
        if CONSTANT.fullmatch(root):
            return "a definition of the constant"
        if _differentiates(root):
            return "a derivative"
        if root[0] in "d\\" and _DIFFERENTIAL.fullmatch(root):
            return "a differential"
        if _NAME.fullmatch(root) and not _ANSWER_NAME.fullmatch(root) and not has_constant(answer):
            return "a definition"
    if not about_integral and _differentiates(answer) and not has_constant(answer):
        return "a derivative"
    # ``\mathrm{d}\theta)`` with spaces, the longest, has 24 characters with the ``\,`` before it.
    if _DIFFERENTIAL.search(answer[-24:]):
        # Part of an integral, or else a differential.
        where = _INTEGRAL.search(answer)
        if where is None:
            return "a differential"
        if not _SIGN.search(answer, 1, where.start()) and not has_constant(answer):
            return "an integral, not evaluated"
    return ""


def definition(chain: Chain) -> tuple[str, str] | None:
    r"""The symbol that a chain defines, and its value: ``u = \ln x``."""
    if len(chain.links) != 2 or chain.bound or chain.approximate:
        return None
    name, value = map(clean, chain.links)
    plain = re.fullmatch(rf"{_LETTER}{_SUBSCRIPT}", name)
    return (name, value) if plain and value else None


def defines(root: str) -> bool:
    """Whether a chain with this root defines a symbol or a differential."""
    root = clean(root)
    return len(root) < _LONGEST_CONSTANT and (
        (_NAME.fullmatch(root) is not None and not _ANSWER_NAME.fullmatch(root))
        or _DIFFERENTIAL.fullmatch(root) is not None
    )


_COMMAND = re.compile(r"\\[A-Za-z]+")
_VARIABLE = re.compile(r"[A-Za-df-zα-ω]")
_OTHER_LETTER = re.compile(rf"(?<![A-Za-z])[abd-hj-z](?![A-Za-z])|{_GREEK}(?![A-Za-z])")


def is_foreign(latex: str, symbols: Collection[str]) -> bool:
    """Whether a formula has letters, but none of the names that a problem uses."""
    plain = _COMMAND.sub(" ", latex)
    for name in symbols:
        if (name in plain) if len(name) == 1 else (name[:1] in plain or f"\\{name}" in latex):
            return False
    return _OTHER_LETTER.search(latex) is not None


_SIGN = re.compile(r"[-+]")


def has_constant(latex: str) -> bool:
    """Whether a constant of integration is added."""
    return _PLUS_CONSTANT.search(latex) is not None or (
        latex[0] in "CKck\\" and _CONSTANT_PLUS.match(latex) is not None
    )


def has_integral(latex: str) -> bool:
    """Whether it has an integral sign."""
    return "int" in latex and _INTEGRAL.search(latex) is not None


def _differentiates(latex: str) -> bool:
    return (
        "'" in latex or "d" in latex or "D" in latex or "prime" in latex
    ) and _DERIVATIVE.search(latex) is not None
