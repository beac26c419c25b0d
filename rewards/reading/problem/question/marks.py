r"""Marks the formulas of a question: "Find dy/dx if y = 2x." becomes "Find $dy/dx$ if $y = 2x$."

A formula is a longest run of mathematical tokens: signs, numbers, single letters, names of
functions and commands of LaTeX. Words, punctuation and brackets around words are prose. A number
alone is not marked, because a number in prose may be a label.
"""

from __future__ import annotations

import re
from typing import Final

from ...latex.tokens.names import GREEK, GREEK_VARIANTS, NAMED, UNARY
from ...latex.tokens.pattern import SUBSCRIPT, SUPERSCRIPT

#: A longer text is no question; those of textbooks have up to 400 characters.
LONGEST: Final = 4_000
PROSE: Final = re.compile(r"\\(?:text|textrm|textit|mbox|hbox|textbf)\s*\{([^{}]*)\}")
SPACING: Final = re.compile(r"(?<!\\)\\[,;:!> ]|\\(?:q?quad|displaystyle|textstyle)(?![A-Za-z])|~")
#: Opens a formula, unless it belongs to the end of a row with a space, such as ``\\[2pt]``.
_SQUARE: Final = r"\\\[(?!-?[\d.]+\s*[a-z]{2}\])"
#: What marks a formula in prose.
DELIMITER: Final = re.compile(
    rf"\$+|\\[()\]]|{_SQUARE}|\\(?:begin|end)\s*\{{(?:align|aligned|equation|gather|multline|split)\*?\}}"
)
#: A formula between marks. None opens the same mark again inside, so that the search is linear.
MARKED: Final = re.compile(
    rf"\$\$.+?\$\$|\$.+?\$|\\\((?:(?!\\\().)+?\\\)|{_SQUARE}(?:(?!{_SQUARE}).)+?\\\]"
    r"|\\begin\s*\{(?P<name>(?:align|aligned|equation|gather|multline|split)\*?)\}"
    r"(?:(?!\\begin\s*\{(?P=name)\}).)*?\\end\s*\{(?P=name)\}",
    re.DOTALL,
)
_FUNCTIONS: Final = frozenset(
    (*UNARY, *(name for names in UNARY.values() for name in names), "sqrt")
)
_LETTERS: Final = frozenset((*GREEK, *GREEK_VARIANTS, "pi", "inf", "oo"))
_TOKEN: Final = re.compile(
    rf"(?P<marked>{MARKED.pattern})"
    r"|(?P<prose>\\(?:text[a-z]*|mbox|hbox)\s*\{[^{}]*\}"
    r"|\\(?:q?quad|hfill|item|par|noindent)(?![A-Za-z])|\\\\)"
    r"|(?P<command>\\begin\s*\{(?P<environment>[a-z]+)\*?\}.*?\\end\s*\{(?P=environment)\*?\}"
    r"|\\(?:left|right)\s*\.|\\(?:operatorname\*?|math[a-z]+|boldsymbol)\s*\{[^{}]*\}"
    r"|\\(?:[A-Za-z]+\*?|[^A-Za-z]))"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    r"|(?P<word>[A-Za-z]{2,}(?:[-'’–][A-Za-z]+)*|[A-Za-z]['’](?:d|m|s|ll|re|ve)\b|[A-Za-z](?:-[A-Za-z]{2,})+)"
    r"|(?P<letter>[A-Za-z\u0370-\u03ff])"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<space>\s+)|(?P<blank>_{2,})"
    r"|(?P<dots>\.{3}|…)"
    r"|(?P<stop>[.,;:?!&—\"“”`])"
    rf"|(?P<sign>[-=<>^_*/+|~%{SUPERSCRIPT}{SUBSCRIPT}²³¹√∞∑∫∂→⟶↦⟼≤≥≠∈ℝℕℤ′'’″×·⋅−–π])"
    r"|(?P<other>.)",
    re.DOTALL,
)
#: Two letters that are a product or a differential beside other signs.
_PRODUCT: Final = re.compile(r"d[a-ce-np-z]|[txyz]{2,3}|uv")
_SHORT_WORDS: Final = frozenset(
    "ad am an as at be by do eg et go he hi id if in is it me my no of oh ok on or pm re so to up us"
    " vs we".split()
)
#: A function and its argument without a space between.
_APPLIED: Final = re.compile(
    rf"(?:{'|'.join(name for name in sorted(_FUNCTIONS, reverse=True) if len(name) > 2)}|ln)[a-z]"
)
#: What makes a run of tokens a formula, besides a number and a letter that follows at once.
_FORMULA: Final = re.compile(
    r"[-=<>^_*/+|²³√∞∑∫∂→≤≥≠∈′'’″×·⋅−]|\\[A-Za-z]|\.{3}|…|\w\s*\(|\d[A-Za-z]"
)
#: Words before a number that is a formula: a limit, or a point.
_EXPECTED: Final = re.compile(r"\b(?:and|approaches|at|between|equals|from|is|to)\s+\Z")
_JOINS: Final = frozenset(("sign", "number", "command", "letter", "open"))


def with_marks(text: str) -> str:
    """Mark the formulas of a question that are not marked. A text without words is a formula.

    >>> with_marks("Find dy/dx if y = sin(2x), and a > 0.")
    'Find $dy/dx$ if $y = sin(2x)$, and $a > 0$.'

    """
    if len(text) > LONGEST:
        return text
    kinds, tokens = [], []
    for match in _TOKEN.finditer(text):
        kinds.append("command" if match.lastgroup == "environment" else match.lastgroup or "")
        tokens.append(match[0])
    is_formula = _formula_tokens(kinds, tokens)
    is_word = (kind in ("word", "marked") for kind in kinds)
    if not any(word and not inside for word, inside in zip(is_word, is_formula, strict=True)):
        return text
    pieces: list[str] = []
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and (is_formula[end] or (end > start and kinds[end] == "space")):
            end += 1
        while end > start and kinds[end - 1] == "space":
            end -= 1
        run = "".join(tokens[start:end])
        is_letter = end == start + 1 and (
            kinds[start] in ("letter", "word")
            or (
                kinds[start] == "number"
                and _EXPECTED.search("".join(tokens[max(start - 4, 0) : start]))
            )
        )
        pieces.append(f"${run}$" if is_letter or _FORMULA.search(run) else run)
        if end == start:
            pieces[-1] = tokens[start]
            end += 1
        start = end
    return "".join(pieces)


def _formula_tokens(kinds: list[str], tokens: list[str]) -> list[bool]:
    """Whether each token belongs to a formula."""
    solid = [at for at, kind in enumerate(kinds) if kind != "space"]
    before = {at: solid[index - 1] for index, at in enumerate(solid) if index}
    after = {at: solid[index + 1] for index, at in enumerate(solid[:-1])}
    result = [kind in ("number", "command", "letter", "sign") for kind in kinds]

    def kind(at: int | None) -> str:
        if at is None:
            return ""
        is_name = kinds[at] == "word" and (
            tokens[at] in _FUNCTIONS | _LETTERS or _is_applied(tokens[at])
        )
        return "name" if is_name else kinds[at]

    def attached_to(at: int) -> tuple[str, str]:
        last, following = before.get(at), after.get(at)
        return kind(last) if last == at - 1 else "", kind(following) if following == at + 1 else ""

    level = 0
    for at in solid:
        last, following = before.get(at), after.get(at)
        level = max(level + (tokens[at] == "{") - (tokens[at] == "}"), 0)
        if level and kinds[at] == "word":
            result[at] = True
        elif tokens[at] == "infinity":  # -infinity, to infinity
            result[at] = kind(last) == "sign" or (last is not None and tokens[last] == "to")
        elif kinds[at] == "word":
            beside = attached_to(at)
            slash = {tokens[each] for each in (last, following) if each is not None} & {
                "/",
                "-",
                "–",
            }
            result[at] = _is_name(
                tokens[at], kind(last), kind(following), ("", "") if slash else beside
            )
        elif kinds[at] == "number":
            # a number is a part of a formula, or stands where a formula is expected
            result[at] = True
    for at in solid:
        last, following = before.get(at), after.get(at)
        attached = attached_to(at)
        if tokens[at] in ("a", "A", "i", "I"):
            result[at] = (
                kind(following) == "sign" or kind(last) == "sign" or bool({*attached} & _JOINS)
            )
        elif tokens[at] in ("'", "’", "|", "/", "-", "–", "~", "%"):
            result[at] = (last is not None and (result[last] or kinds[last] == "close")) or (
                tokens[at] in "-|"
                and following is not None
                and (result[following] or kinds[following] == "open")
            )
        elif kinds[at] == "dots":
            result[at] = kind(last) == "sign" or (last is not None and tokens[last] == ",")
        elif kinds[at] == "other":  # an unknown sign
            result[at] = bool({*attached} & {"sign", "number", "letter", "command", "close"})
        elif tokens[at] == "!":
            result[at] = attached[0] in ("letter", "number", "close") and kind(following) != "stop"
        elif tokens[at] == ":":
            result[at] = following == at + 1 and tokens[following] == "="
    opened: list[int] = []
    for at in solid:
        if tokens[at] in "{}":
            result[at] = True
        elif kinds[at] == "open":
            opened.append(at)
        elif kinds[at] == "close" and opened:
            start = opened.pop()
            inner = range(start + 1, at)
            is_inner = all(
                result[each] or kinds[each] == "space" or tokens[each] in (",", ";")
                for each in inner
            )
            last = before.get(start)
            is_label = len([each for each in inner if kinds[each] != "space"]) <= 1 and not (
                last is not None and result[last] and (last == start - 1 or kinds[last] == "sign")
            )
            if is_inner and not is_label:
                for each in range(start, at + 1):
                    result[each] = True
            elif is_label:
                for each in range(start, at + 1):
                    result[each] = False
    return result


def _is_applied(word: str) -> bool:
    return _APPLIED.fullmatch(word) is not None or (
        _PRODUCT.fullmatch(word) is not None and word[0] == "d"
    )


def _is_name(word: str, last: str, following: str, attached: tuple[str, str]) -> bool:
    """Whether a word is the name of a function, a Greek letter, or a product of letters."""
    if word in _LETTERS or word == "lim" or _is_applied(word):
        return True
    if word in _FUNCTIONS or word == "int":
        return following in ("letter", "number", "open", "command", "name", "sign")
    if word in NAMED:
        return attached[1] == "open"
    beside = {last, following} & {"sign", "number", "command"}
    if _PRODUCT.fullmatch(word):
        return bool(beside or {*attached} & {"open", "close"}) or (
            word[0] == "d" and {last, following} & {"letter", "close"} != set()
        )
    if len(word) == 2 and word.lower() not in _SHORT_WORDS and beside - {"command"}:
        return True
    return len(word) <= 4 and bool({*attached} & {"sign", "number"}) and attached[1] != "stop"
