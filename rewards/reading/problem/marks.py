r"""Marks the formulas of a question: "Find dy/dx if y = 2x." becomes "Find $dy/dx$ if $y = 2x$."

A formula is a longest run of mathematical tokens: signs, numbers, single letters, names of
functions and commands of LaTeX. Words, punctuation and brackets around words are prose. A number
alone is not marked, because a number in prose may be a label.
"""

from __future__ import annotations

import itertools
import re
from typing import Final

from ...errors import ProblemError
from ..latex.tokens.names import GREEK, GREEK_VARIANTS, NAMED, UNARY
from ..latex.tokens.pattern import SUBSCRIPT, SUPERSCRIPT

#: A longer text is no question; those of textbooks have up to 400 characters.
LONGEST: Final = 4_000
#: A differential in a command for text, as in ``\int x\text{ dx}``, is no prose.
_NO_DIFFERENTIAL: Final = r"(?!\s*d\s*[a-ce-np-z]?\s*\})"
PROSE: Final = re.compile(
    rf"\\(?:text|textrm|textit|mbox|hbox|textbf)\s*\{{{_NO_DIFFERENTIAL}([^{{}}]*)\}}"
)
SPACING: Final = re.compile(r"(?<!\\)\\[,;:!> ]|\\(?:q?quad|displaystyle|textstyle)(?![A-Za-z])|~")
#: Opens a formula, unless it belongs to the end of a row with a space, such as ``\\[2pt]``.
_SQUARE: Final = r"\\\[(?!-?[\d.]+\s*[a-z]{2}\])"
#: What marks a formula in prose.
DELIMITER: Final = re.compile(
    rf"\$\$*|\\[()\]]|{_SQUARE}|\\(?:begin|end)\s*\{{(?:align|aligned|equation|gather|multline|split)\*?\}}"
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
    rf"|(?P<prose>\\(?:text[a-z]*|mbox|hbox)\s*\{{{_NO_DIFFERENTIAL}[^{{}}]*\}}"
    r"|\\(?:q?quad|hfill|item|par|noindent)(?![A-Za-z])|\\\\)"
    r"|(?P<command>\\begin\s*\{(?P<environment>[a-z]+)\*?\}.*?\\end\s*\{(?P=environment)\*?\}"
    r"|\\(?:left|right)\s*\.|\\(?:operatorname\*?|math[a-z]+|boldsymbol)\s*\{[^{}]*\}"
    r"|\\(?:[A-Za-z]+\*?|[^A-Za-z]))"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    r"|(?P<word>(?:i\.\s?e|e\.\s?g)\.|[A-Za-z]['’][A-Za-z]{2,}(?:['’]s)?|[A-Za-z]{2,}(?:(?:--|[-'’–])[A-Za-z]+)*|[A-Za-z]['’][dms]\b|[A-Za-z](?:-[A-Za-z]{2,})+)"
    r"|(?P<letter>[A-Za-z\u0370-\u03ff])"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<space>\s+)|(?P<blank>_{2,})"
    r"|(?P<dots>\.{3}|…)"
    r"|(?P<stop>[.,;:?!&—\"“”`])"
    rf"|(?P<sign>[-=<>^_*/+|~%{SUPERSCRIPT}{SUBSCRIPT}²³¹√∞∑∫∂→⟶↦⟼≤≥≠∈ℝℕℤ′'’″×·⋅−–π])"
    r"|(?P<other>.)",
    re.DOTALL,
)
#: A run of letters that is no command; a text without one is a formula, which saves the search.
_LONG_WORD: Final = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
#: Two letters that are a product or a differential beside other signs.
_PRODUCT: Final = re.compile(r"d[a-ce-np-z]|[txyz]{2,3}|uv")
_SHORT_WORDS: Final = frozenset(
    """ad am an as at be by do eg et go he hi id if in is it me my no of oh ok on or pm re so to up
    us vs we""".split()
)
#: Words behind a Greek letter that is a part of a name: sigma notation, the gamma function.
_NAMED_BY_LETTERS: Final = frozenset(
    "decay distribution function functions notation particle particles rays".split()
)
#: A function and its argument without a space between.
_APPLIED: Final = re.compile(
    rf"(?:{'|'.join(name for name in sorted(_FUNCTIONS, reverse=True) if len(name) > 2)}|ln)[a-z]"
)
#: Numbers as words, and a limit as a word: "from zero to one", but not "to one decimal place".
CARDINALS: Final = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_SPOKEN_LIMIT: Final = re.compile(
    rf"\b(approaches|between(?:\s+\S+\s+and)?|from|to)\s+({'|'.join(CARDINALS)})\b"
    r"(?=\s*(?:[.,;:?!)]|\Z|(?:and|from|to)\b))",
    re.IGNORECASE,
)
#: What makes a run of tokens a formula, besides a number and a letter that follows at once.
_FORMULA: Final = re.compile(
    r"[-=<>^_*/+|²³√∞∑∫∂→≤≥≠∈′'’″×·⋅−]|\\[A-Za-z]|\.{3}|…|\w\s*\(|\d[A-Za-z]|[(\[].*,"
)
#: Brackets, which a formula closes.
_OPENS: Final = re.compile(r"[(\[{]|\\left(?![A-Za-z])")
_CLOSES: Final = re.compile(r"[)\]}]|\\right(?![A-Za-z])")
#: Words before a number that is a formula: a limit, or a point.
_EXPECTED: Final = re.compile(r"\b(?:and|approaches|at|between|equals|from|is|to)\s+\Z")
#: Kinds of tokens that belong to formulas, and kinds that may follow the name of a function.
_MATHEMATICAL: Final = frozenset(("number", "command", "letter", "sign"))
_ARGUMENTS: Final = frozenset(("letter", "number", "open", "command", "name", "sign"))
_JOINS: Final = frozenset(("sign", "number", "command", "letter", "open"))


def refuse_long(text: str) -> None:
    """Raise `ProblemError` if a text is longer than `LONGEST`."""
    if len(text) > LONGEST:
        raise ProblemError(f"the question has more than {LONGEST} characters")


def with_marks(text: str) -> str:
    """Mark the unmarked formulas of a question. A text without words is a formula.

    >>> with_marks("Find dy/dx if y = sin(2x), and a > 0.")
    'Find $dy/dx$ if $y = sin(2x)$, and $a > 0$.'

    """
    if len(text) > LONGEST or _LONG_WORD.search(text) is None:
        return text
    for _ in range(2):  # between zero and one
        text = _SPOKEN_LIMIT.sub(lambda match: f"{match[1]} {CARDINALS[match[2].lower()]}", text)
    tokens = _Tokens(text)
    tokens.classify()
    if tokens.is_unclear or not tokens.has_prose():
        return text
    pieces: list[str] = []
    start = 0
    while start < len(tokens.texts):
        end = tokens.end_of_formula(start)
        run = "".join(tokens.texts[start:end])
        if len(_OPENS.findall(run)) != len(_CLOSES.findall(run)):
            return text  # a word of a formula was not recognised
        is_marked = _FORMULA.search(run) is not None or tokens.is_alone(start, end)
        pieces.append(f"${run}$" if is_marked else run or tokens.texts[start])
        start = max(end, start + 1)
    return "".join(pieces)


class _Tokens:
    """The tokens of a text, and whether each belongs to a formula.

    First, every token is classified by itself and by the neighbours. Then brackets belong to a
    formula if all tokens in the brackets do, and brackets around a label do not.
    """

    def __init__(self, text: str) -> None:
        matches = list(_TOKEN.finditer(text))
        self.texts = [match[0] for match in matches]
        self.token_types = [
            "command" if m.lastgroup == "environment" else m.lastgroup for m in matches
        ]
        self.is_formula = [token_type in _MATHEMATICAL for token_type in self.token_types]
        self.solid = [at for at, token_type in enumerate(self.token_types) if token_type != "space"]
        self.preceding_index: dict[int, int] = dict(itertools.pairwise(self.solid[::-1]))
        self.following_index: dict[int, int] = dict(itertools.pairwise(self.solid))
        self.is_unclear = False

    def has_prose(self) -> bool:
        """Whether the text has a word outside of formulas, or a marked formula."""
        return any(
            token_type in ("word", "marked") and not is_formula
            for token_type, is_formula in zip(self.token_types, self.is_formula, strict=True)
        )

    def end_of_formula(self, start: int) -> int:
        """The end of the tokens of a formula that begins at ``start``, or ``start``."""
        end = start
        while end < len(self.texts) and (
            self.is_formula[end] or (end > start and self.token_types[end] == "space")
        ):
            end += 1
        while end > start and self.token_types[end - 1] == "space":
            end -= 1
        return end

    def is_alone(self, start: int, end: int) -> bool:
        """Whether tokens are a letter, a function of a letter, or an expected number."""
        if end != start + 1:  # ln x
            return not _FUNCTIONS.isdisjoint(self.texts[start:end])
        preceding = "".join(self.texts[max(start - 4, 0) : start])
        expected = self.token_types[start] == "number" and _EXPECTED.search(preceding) is not None
        return self.token_types[start] in ("letter", "word") or expected

    def classify(self) -> None:
        """Find the tokens of formulas."""
        # Words are classified first, as signs such as "-" belong to formulas only beside a formula.
        level = 0
        for at in self.solid:
            level = max(level + (self.texts[at] == "{") - (self.texts[at] == "}"), 0)
            if self.token_types[at] == "word":
                self.is_formula[at] = level > 0 or self._is_name(at)
        for at in self.solid:
            if self.token_types[at] != "word":
                self.is_formula[at] = self._is_sign(at)
        self._classify_brackets()

    def _neighbours(self, at: int) -> tuple[int | None, int | None]:
        """The indices of the tokens before and behind a token, spaces aside."""
        return self.preceding_index.get(at), self.following_index.get(at)

    def _role(self, at: int | None) -> str:
        """The type of a token, or "name" for names of functions and Greek letters."""
        if at is None:
            return ""
        if self.token_types[at] == "word" and _is_name_alone(self.texts[at]):
            return "name"
        return self.token_types[at] or ""

    def _attached(self, at: int) -> tuple[str, str]:
        """The roles of the tokens directly before and behind a token, without a space between."""
        preceding, following = self._neighbours(at)
        return (
            self._role(preceding) if preceding == at - 1 else "",
            self._role(following) if following == at + 1 else "",
        )

    def _is_name(self, at: int) -> bool:
        """Whether a word is the name of a function, a Greek letter, or a product of letters."""
        word, (preceding, following) = self.texts[at], self._neighbours(at)
        neighbour_roles = {self._role(preceding), self._role(following)}
        attached = self._attached(at)
        neighbours = {self.texts[index] for index in (preceding, following) if index is not None}
        if word == "infinity":  # -infinity, to infinity
            return self._role(preceding) == "sign" or (
                preceding is not None and self.texts[preceding] == "to"
            )
        if word in _LETTERS and not neighbours.isdisjoint(_NAMED_BY_LETTERS):
            return False
        if _is_differential(word):  # but for "de" and "du" in "primitive de la fonction"
            is_behind = self._role(preceding) not in ("", "marked", "word")
            return is_behind or self._role(following) == "sign"
        if word in _LETTERS or word == "lim" or _APPLIED.fullmatch(word):
            return True
        if word in _FUNCTIONS or word == "int":
            return self._role(following) in _ARGUMENTS
        if word in NAMED:
            return attached[1] == "open"
        if not neighbours.isdisjoint("/-–"):  # and/or
            attached = ("", "")
        formula_roles = neighbour_roles & {"sign", "number", "command"}
        if _PRODUCT.fullmatch(word):
            return bool(formula_roles or {*attached} & {"open", "close"})
        is_product = len(word) == 2 and word.lower() not in _SHORT_WORDS
        is_inside = attached == ("open", "close")
        if is_product and (
            formula_roles - {"command"} or self._role(preceding) == "command" or is_inside
        ):
            return True
        return len(word) <= 4 and not {"sign", "number"}.isdisjoint(attached)

    def _is_sign(self, at: int) -> bool:
        """Whether a token other than a word belongs to a formula, brackets aside."""
        token, (preceding, following) = self.texts[at], self._neighbours(at)
        attached = {*self._attached(at)}
        if token in ("a", "A", "i", "I"):  # words, unless a sign is beside
            neighbour_roles = {self._role(preceding), self._role(following)}
            return "sign" in neighbour_roles or not attached.isdisjoint(_JOINS)
        if token in ("'", "’", "|", "/", "-", "–", "~", "%"):
            closes = preceding is not None and (
                self.is_formula[preceding] or self.token_types[preceding] == "close"
            )
            opens = following is not None and (
                self.is_formula[following] or self.token_types[following] == "open"
            )
            return closes or (token in "-|" and opens)
        if self.token_types[at] == "dots":
            return self._role(preceding) == "sign" or (
                preceding is not None and self.texts[preceding] == ","
            )
        if self.token_types[at] == "other":  # an unknown sign
            return not attached.isdisjoint(("sign", "number", "letter", "command", "close"))
        if token == "!":
            factor = self._attached(at)[0] in ("letter", "number", "close")
            return factor and self._role(following) != "stop"
        if token == ":":
            return following == at + 1 and self.texts[following] == "="
        return self.token_types[at] in _MATHEMATICAL or token in "{}"

    def _classify_brackets(self) -> None:
        """Decide whether pairs of brackets belong to formulas, from the inside to the outside."""
        # for each open bracket: its place, the tokens between, and whether these are a formula
        opened: list[tuple[int, int, bool]] = []
        for at in self.solid:
            if self.token_types[at] == "open" and self.texts[at] != "{":
                opened.append((at, 0, True))
                continue
            count, is_content = 1, self.is_formula[at] or self.texts[at] in ",;"
            if self.token_types[at] == "close" and self.texts[at] != "}" and opened:
                start, inner_count, is_inner_content = opened.pop()
                preceding = self.preceding_index.get(start)
                is_applied = (
                    preceding is not None
                    and self.is_formula[preceding]
                    and (preceding == start - 1 or self.token_types[preceding] == "sign")
                )
                is_pair = "," in "".join(self.texts[start:at])
                is_label = inner_count <= 1 and not is_applied and not is_pair
                count, is_content = inner_count + 2, is_inner_content and not is_label
                if is_applied and preceding == start - 1 and not is_content:
                    self.is_unclear = True  # the word is an argument of a function
                if is_content:
                    self.is_formula[start] = self.is_formula[at] = True
                    for between in range(start, at) if is_pair else ():
                        self.is_formula[between] = True
                elif is_label:
                    for between in range(start, at + 1):  # at most one token
                        self.is_formula[between] = False
            if opened:
                start, counted, was_content = opened[-1]
                opened[-1] = start, counted + count, was_content and is_content


def is_function(word: str) -> bool:
    """Whether a word is the name of a function, such as sin."""
    return word in _FUNCTIONS or word in NAMED


def _is_differential(word: str) -> bool:
    return word[0] == "d" and _PRODUCT.fullmatch(word) is not None


def _is_name_alone(word: str) -> bool:
    is_applied = _APPLIED.fullmatch(word) is not None
    return word in _FUNCTIONS or word in _LETTERS or is_applied or _is_differential(word)
