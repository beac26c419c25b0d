"""Turns words and runs of letters into canonical tokens, the spellings that the parser knows."""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize

from .names import LONGEST_NAME, NAMES, SPLITTABLE
from .pattern import TOKEN

#: Fractions in a single character -> tokens, such as ``\1/2``.
VULGAR: Final = {
    character: "\\" + normalize("NFKC", character).replace("⁄", "/")
    for character in "¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
}
_SPELLINGS: Final[dict[str, str]] = {
    "^": r"** \sp \^",
    r"\times": "×",
    r"\cdot": "⋅ · ∙ • \\cdotp \\bullet \u2062",
    "*": r"∗ \ast",
    "/": r"⁄ ∕ \slash \frasl",
    "-": "− – — ‐ ‑ －",
    "+": "＋",
    "=": r"＝ \doteq \equiv \approx ≈ ≡",
    r"\pm": "±",
    r"\mp": "∓",
    r"\radical": r"√ \surd",
    r"\cuberoot": "∛",
    r"\fourthroot": "∜",
    r"\int": r"∫ ∬ ∭ ∮ \iint \iiint \oint \smallint \intop",
    r"\sum": "∑",
    r"\prod": "∏",
    r"\partial": "∂",
    r"\infty": r"∞ \infinity \infin",
    r"\pi": r"π \uppi",
    "e": r"ℯ ⅇ \exponentialE",
    "i": r"ⅈ \imaginaryI",
    "(": r"（ \lparen",
    ")": r"） \rparen",
    "[": r"［ \lbrack",
    "]": r"］ \rbrack",
    r"\{": r"｛ \lbrace",
    r"\}": r"｝ \rbrace",
    ",": "， 、",
    ";": "；",
    ".": r"。 \ldotp",
    "|": r"∣ ｜ ‖ \| \vert \Vert \mid",
    r"\left|": r"\lvert \lVert",
    r"\right|": r"\rvert \rVert",
    r"\lfloor": "⌊",
    r"\rfloor": "⌋",
    r"\lceil": "⌈",
    r"\rceil": "⌉",
    r"\le": r"≤ <= \leq \leqslant",
    r"\ge": r"≥ >= \geq \geqslant",
    r"\ne": r"≠ != \neq",
    r"\cup": "∪",
    r"\forall": "∀",
    r"\in": "∈",
    "<": r"\lt",
    ">": r"\gt",
    r"\wedge": r"\land ∧",
    r"\vee": r"\lor ∨",
    "'": r"′ ″ ’ \prime",
    r"\frac": r"\dfrac \tfrac \cfrac \nicefrac \sfrac \flatfrac",
    r"\binom": r"\dbinom \tbinom",
    r"\abs": r"\abs*",
    "\\\\": r"\cr \newline \tabularnewline",
    "_": r"\sb \_",
    "°": r"º \degree",
    r"\%": "%",
    r"\backslash": r"\setminus",
    ":": r"\colon",
    r"\mapsto": r"\longmapsto ↦ ⟼",
}
#: One spelling of a token -> the canonical one.
SYNONYMS: Final[dict[str, str]] = VULGAR | {
    spelling: token for token, spellings in _SPELLINGS.items() for spelling in spellings.split()
}

_SPACES: Final = re.compile(r"\\[,;:! ]|~")
#: A text command without two letters in a row has no words, but a number or a symbol.
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_CONSTANT_TEXT: Final = re.compile(r"const|konst|конст|常|costante", re.IGNORECASE)
_CONDITION_WORDS: Final = frozenset(
    ("if", "for", "when", "on", "whenever", "provided", "wenn", "si", "für", "falls", "pour")
)
#: What a condition begins with after its first word, without changing it.
_FILLER: Final = re.compile(r"(?:(?:that|all|every|any|each|real|the interval)(?:\s+|\Z))*")
_OTHERWISE: Final = re.compile(r"otherwise|else|other|sonst|autrement|sinon|^true$", re.IGNORECASE)
#: "is positive" -> the comparison with zero.
SIGN_WORDS: Final = {
    "non-negative": "\\ge",
    "nonnegative": "\\ge",
    "positive": ">",
    "negative": "<",
    "non-positive": "\\le",
    "nonpositive": "\\le",
    "zero": "=",
    "nonzero": "\\ne",
}
_OR_WORDS: Final = frozenset(("or", "oder", "ou", "或", "или", "either"))
_AND_WORDS: Final = frozenset(("and", "und", "et", "和", "и"))

#: Upright letters that name a function, and a name that is a word in other places.
OPERATORS: Final = {
    "S": "\\fn fresnels",
    "C": "\\fn fresnelc",
    "D": "\\dawson",
    "W": "\\fn lambertw",
    "si": "\\fn si_tail",
    "ci": "\\fn ci",
    "chi": "\\fn chi",
}

#: Longer runs of letters are not formulas.
LONGEST_RUN: Final = 64


def word_of(content: str, is_operator: bool, symbols: frozenset[str]) -> tuple[str, ...]:
    r"""The tokens of the content of ``\operatorname{...}``, ``\mathrm{...}`` or ``\text{...}``."""
    content = _SPACES.sub(" ", content).strip("\u2061 ")
    if not content or content in "~,.;:":
        return ()
    if content in ("e", "i") or (content == "d" and "d" not in symbols):
        return ("\\upright " + content,)
    if content in symbols:
        return (content,)
    if is_operator and content in OPERATORS:
        return (OPERATORS[content],)
    name = NAMES.get(content) or NAMES.get(content.replace(" ", ""))
    if name is not None:
        return (name,)
    if content.isascii() and content.isalnum() and len(content) > 2:
        lowered = NAMES.get(content.lower())
        if lowered is not None:
            return (lowered,)
    if _CONSTANT_TEXT.search(content):
        return ("constant",)
    word = content.strip(" ,.:").lower()
    if word in _OR_WORDS:
        return ("\\or",)
    if word in _AND_WORDS:
        return ("\\wedge",)
    if word.split(" ")[0] in _CONDITION_WORDS:
        inner = word.partition(" ")[2].strip()
        inner = inner[_FILLER.match(inner).end() :]  # type: ignore[union-attr]  # matches anything
        inner = with_signs(inner)
        return ("\\if",) if not inner else ("\\if", *_pieces(inner, symbols))
    if word.removeprefix("is ") in SIGN_WORDS:
        return (SIGN_WORDS[word.removeprefix("is ")], "0")
    if _OTHERWISE.search(word):
        return ("\\otherwise",)
    if not _LETTERS.search(content) or re.fullmatch("d[a-z]", content):
        return _pieces(content, symbols)
    return (f"\\text {content[:40]}",)


def with_signs(text: str) -> str:
    """Replace phrases such as "is positive" in a text by a comparison with zero."""
    return _SIGN_WORD.sub(lambda match: f"{SIGN_WORDS[match[1].replace('-', '')]} 0", text)


_SIGN_WORD: Final = re.compile(
    r"\bis\s+(non-?negative|positive|negative|non-?positive|non-?zero|zero)\b"
)


def _pieces(content: str, symbols: frozenset[str]) -> tuple[str, ...]:
    pieces: list[str] = []
    for token in TOKEN.findall(content):
        if token.isascii() and token.isalpha():
            pieces.extend(split(token, symbols))
        elif token:
            pieces.append(SYNONYMS.get(token, token))
    return tuple(pieces)


def split(run: str, symbols: frozenset[str]) -> tuple[str, ...]:
    """Split a run of letters into names and single letters. Longer names are tried first."""
    if run in symbols or len(run) == 1:
        return (run,)
    if len(run) > LONGEST_RUN:
        return (f"\\text {run[:40]}",)
    if run in NAMES:
        return (_maybe_product(run, symbols),)
    if len(run) > 2 and run.lower() in NAMES:
        return (NAMES[run.lower()],)
    if run.lower() in ("or", "and") and not set(run) <= symbols:
        return ("\\or" if run.lower() == "or" else "\\wedge",)
    if run[0] == "d" and "d" not in symbols and run[1:] in symbols:
        return ("\\differential",)
    longest = max(LONGEST_NAME, max(map(len, symbols), default=1))
    pieces: list[str] = []
    unknown = 0
    start = 0
    while start < len(run):
        for length in range(min(longest, len(run) - start), 1, -1):
            name = run[start : start + length]
            if name in symbols:
                pieces.append(name)
                break
            if name in SPLITTABLE:
                pieces.append(_maybe_product(name, symbols))
                break
        else:
            length = 1
            name = run[start]
            pieces.append(name)
        unknown += length == 1 and name not in symbols and name not in "eiCcKk"
        start += length
    # Letters that nobody spoke of are constants; a whole word of them is prose.
    if unknown > (1 if len(run) > 2 and symbols.isdisjoint(pieces) else 2 if symbols else 4):
        return (f"\\text {run[:40]}",)
    return tuple(pieces)


def _maybe_product(name: str, symbols: frozenset[str]) -> str:
    """The token of a name. ``asin`` is ambiguous if ``a`` is a symbol of the problem."""
    if name[0] == "a" and "a" in symbols and name[1:] in NAMES:
        return "\\a " + NAMES[name][1:] + " " + NAMES[name[1:]][1:]
    return NAMES[name]
