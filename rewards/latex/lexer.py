r"""LaTeX (or plain-text, or Unicode) mathematics to canonical tokens: one regex, one pass.

A token is a string; what it means is the parser's business, found by dictionary look-up. Spelling
is settled here: sizes and spaces vanish, ``\left(`` is ``(``, ``\operatorname{arctanh}`` and
``artanh`` are one token, a run of letters such as ``xsinx`` becomes three. Offsets are not kept;
`offset_of` finds them again when there is an error to report.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from typing import Final

from .errors import TooBigError
from .functions import GREEK, GREEK_VARIANTS, LONGEST_NAME, NAMES, SPLITTABLE
from .limits import Limits

_SPACE = r"[\s~$\u200b-\u200f\u2060\u2061\u2063\u2064\ufeff]"
_NUMBER = (
    r"(?:[0-9]+(?:(?:\{,\}|\\,|\{\\,\})[0-9]{3}(?![0-9]))*(?:\.[0-9]*)?|\.[0-9]+)"
    r"(?:[eE][+-]?[0-9]+(?![0-9.]))?"
)
_SIZED = (
    r"(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\s*(?:\\(?:[A-Za-z]+|.)|[^\\A-Za-z0-9\s])?"
)
_TEXT = (
    r"(?:operatorname\*?|mathrm|text(?:rm|it|bf|sf|tt|normal|up)?|mathop|mbox|mathsf|mathit|hbox)"
    r"\s*\{[^{}\\$]*\}"
)
_ENVIRONMENT = (
    r"(?:begin\s*\{(?:array|tabular|alignedat|alignat\*?)\}\s*(?:\[[a-z]\]\s*)?\{[^{}]*\}"
    r"|(?:begin|end)\s*\{[A-Za-z]+\*?\})"
)
_INVISIBLE = (
    r"(?:color|textcolor|hspace\*?|vspace\*?|h?v?phantom|label|tag\*?|mspace|fontsize|hskip|mskip"
    r"|kern|mkern)(?![A-Za-z])(?:\s*\{[^{}]*\}|\s*-?[0-9.]+\s*(?:pt|em|ex|mu|mm|cm))"
)
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱˣᵃᵇᵏᵐᵗ"
_SUBSCRIPT = "₀₁₂₃₄₅₆₇₈₉ₐₑₖₘₙₓₚₜᵢⱼ"

_TOKEN: Final = re.compile(
    rf"(?:{_SPACE}++|\\[,;:!>\s/()\[\]]|%[^\n]*+(?:\n|\Z))*+"
    rf"({_NUMBER}|[A-Za-z]+"
    rf"|\\(?:{_SIZED}|{_TEXT}|{_ENVIRONMENT}|{_INVISIBLE}"
    rf"|operatorname\*|[A-Za-z]+|\\(?:\*|\s*\[-?[0-9.]+\s*[a-z][a-z]\])?|.)"
    rf"|[{_SUPERSCRIPT}]+|[{_SUBSCRIPT}]+|\*\*|<=|>=|!=|.|\Z)"
)

#: One spelling of a token -> the canonical one.
_SYNONYMS: Final[dict[str, str]] = {
    "**": "^", "×": "\\times", "⋅": "\\cdot", "·": "\\cdot", "∙": "\\cdot", "•": "\\cdot",
    "∗": "*", "\\ast": "*", "\\cdotp": "\\cdot", "\\bullet": "\\cdot", "\u2062": "\\cdot",
    "⁄": "/", "∕": "/", "\\slash": "/", "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-",
    "＋": "+", "－": "-", "＝": "=", "±": "\\pm", "∓": "\\mp", "√": "\\radical", "∛": "\\cuberoot",
    "∜": "\\fourthroot", "∫": "\\int", "∬": "\\int", "∭": "\\int", "∮": "\\int", "\\iint": "\\int",
    "\\iiint": "\\int", "\\oint": "\\int", "\\smallint": "\\int", "\\intop": "\\int",
    "∑": "\\sum", "∏": "\\prod", "∂": "\\partial", "∞": "\\infty", "π": "\\pi", "\\uppi": "\\pi",
    "𝜋": "\\pi", "ℯ": "e", "ⅇ": "e", "ⅈ": "i", "\\mathrm e": "e",
    "（": "(", "）": ")", "［": "[", "］": "]", "｛": "\\{", "｝": "\\}", "，": ",", "；": ";",
    "、": ",", "。": ".", "\\lparen": "(", "\\rparen": ")", "\\lbrack": "[", "\\rbrack": "]",
    "\\lbrace": "\\{", "\\rbrace": "\\}", "∣": "|", "｜": "|", "‖": "|", "\\|": "|", "\\vert": "|",
    "\\Vert": "|", "\\mid": "|", "\\lvert": "\\left|", "\\rvert": "\\right|", "\\lVert": "\\left|",
    "\\rVert": "\\right|", "⌊": "\\lfloor", "⌋": "\\rfloor", "⌈": "\\lceil", "⌉": "\\rceil",
    "≤": "\\le", "≥": "\\ge", "≠": "\\ne", "<=": "\\le", ">=": "\\ge", "!=": "\\ne",
    "\\leq": "\\le", "\\geq": "\\ge", "\\neq": "\\ne", "\\lt": "<", "\\gt": ">",
    "\\leqslant": "\\le", "\\geqslant": "\\ge", "\\land": "\\wedge", "\\lor": "\\vee",
    "∧": "\\wedge", "∨": "\\vee", "′": "'", "″": "'", "’": "'", "\\prime": "'", "^\\prime": "'",
    "\\dfrac": "\\frac", "\\tfrac": "\\frac", "\\cfrac": "\\frac", "\\nicefrac": "\\frac",
    "\\sfrac": "\\frac", "\\flatfrac": "\\frac", "\\dbinom": "\\binom", "\\tbinom": "\\binom",
    "\\cr": "\\\\", "\\newline": "\\\\", "\\tabularnewline": "\\\\", "\\sp": "^", "\\sb": "_",
    "\\exponentialE": "e", "\\imaginaryI": "i", "\\mathup e": "e", "º": "°", "\\degree": "°",
    "¼": "\\1/4", "½": "\\1/2", "¾": "\\3/4", "⅓": "\\1/3", "⅔": "\\2/3", "⅕": "\\1/5",
    "⅖": "\\2/5", "⅗": "\\3/5", "⅘": "\\4/5", "⅙": "\\1/6", "⅚": "\\5/6", "⅛": "\\1/8",
    "⅜": "\\3/8", "⅝": "\\5/8", "⅞": "\\7/8", "\\arctg": "\\atan", "\\doteq": "=", "\\equiv": "=",
    "\\approx": "=", "≈": "=", "≡": "=", "\\colon": ":", "\\ldotp": ".", "\\frasl": "/",
}  # fmt: skip

#: Commands that change how a formula looks, and nothing else.
_DROPPED: Final = frozenset(
    r"""\displaystyle \textstyle \scriptstyle \scriptscriptstyle \limits \nolimits \nonumber
    \notag \mathstrut \strut \rm \it \bf \sf \tt \cal \quad \qquad \thinspace \medspace
    \thickspace \negthinspace \negmedspace \enspace \enskip \space \nobreakspace \allowbreak
    \nobreak \break \linebreak \mathbf \boldsymbol \bm \mathit \mathcal \mathscr \mathbb \mathfrak
    \mathsf \mathtt \mathnormal \mathrm \operatorname \operatorname* \text \textrm \textit
    \textbf \mathop \mathord \mathbin \mathrel \mathinner \mbox \hbox \boxed \fbox \ensuremath
    \underline \smash \hfill \hfil \left \right \middle \big \Big \bigg \Bigg \bigl \bigr \Bigl
    \Bigr \biggl \biggr \Biggl \Biggr \bigm \Bigm \null \relax \protect \noindent \par \large
    \Large \LARGE \small \normalsize \tiny \huge \Huge \centering \pmb \symbf \symup \symit
    \upright \qty \mathup \textnormal \bigstar \unicode \iffalse \fi \sl \em \normalfont \upshape
    """.split()
)
_DELIMITERS: Final = dict.fromkeys("()[]", "") | {
    "\\{": "", "\\}": "", "|": "|", "\\|": "|", "\\vert": "|", "\\Vert": "|", "\\lvert": "|",
    "\\rvert": "|", "\\mid": "|", "∣": "|", "\\lVert": "|", "\\rVert": "|", ".": ".", "/": "",
    "\\lfloor": "", "\\rfloor": "", "\\lceil": "", "\\rceil": "", "\\lbrace": "", "\\rbrace": "",
    "\\lbrack": "", "\\rbrack": "", "\\lparen": "", "\\rparen": "", "{": "", "}": "",
    "⌊": "", "⌋": "", "⌈": "", "⌉": "", "\\backslash": "/",
}  # fmt: skip
_LETTER_OF: Final = {char: "\\" + name for name, characters in GREEK.items() for char in characters}
_SUPERSCRIPT_PLAIN: Final = str.maketrans(_SUPERSCRIPT, "0123456789+-()nixabkmt")
_SUBSCRIPT_PLAIN: Final = str.maketrans(_SUBSCRIPT, "0123456789aekmnxptij")

_TABULAR: Final = frozenset(
    ("cases", "dcases", "rcases", "matrix", "pmatrix", "smallmatrix", "array")
)
_CONSTANT_TEXT: Final = re.compile(r"const|konst|конст|常|costante", re.IGNORECASE)
_CONDITION_WORDS: Final = frozenset(("if", "for", "when", "wenn", "si", "falls"))
_OTHERWISE: Final = re.compile(r"otherwise|else|other|sonst|autrement|sinon", re.IGNORECASE)
_OR_WORDS: Final = frozenset(("or", "oder", "ou", "或", "или", "either"))
_AND_WORDS: Final = frozenset(("and", "und", "et", "和", "и"))

#: A backslash doubled by a program that escaped the text, not a row break.
_DOUBLED: Final = re.compile(
    r"(?<!\\)\\\\(?=(?:[dt]?frac|left|right|sqrt|ln|log|exp|sin|cos|tan|cot|sec|csc|arc|text|math"
    r"|operatorname|cdot|times|pi)(?![a-z]*\\\\))"
)
_LONGEST_RUN = 64
_END = [""] * 4


def tokenize(text: str, known: Collection[str], spell: Speller, limits: Limits) -> list[str]:
    """The canonical tokens of `text`, then ``""`` for as far as the parser looks ahead."""
    if len(text) > limits.characters:
        raise TooBigError(f"at most {limits.characters} characters", limits.characters)
    text = _prepared(text)
    tokens: list[str] = []
    add = tokens.append
    for raw in _TOKEN.findall(text):
        if raw in known:
            add(raw)
        else:
            tokens.extend(spell(raw))
    if len(tokens) > limits.tokens:
        raise TooBigError(f"at most {limits.tokens} tokens", offset_of(text, limits.tokens, spell))
    while tokens and not tokens[-1]:
        tokens.pop()
    tokens += _END
    if _has_marks(text):
        tokens = [tokens[place] for place in _kept(tokens)]
    return tokens


def _has_marks(text: str) -> bool:
    """Whether the text holds what needs a second look at its tokens (`_kept`)."""
    return (
        "&" in text
        or "\\\\" in text
        or "{}" in text
        or "F_" in text  # as in _2F_1
        or "\\left." in text
        or "\\left ." in text
    )


def offset_of(text: str, index: int, spell: Speller) -> int:
    """The offset in `text` of its token number `index`."""
    text = _prepared(text)
    tokens: list[str] = []
    offsets: list[int] = []
    for match in _TOKEN.finditer(text):
        pieces = [match[1]] if not match[1] else spell(match[1])
        tokens.extend(pieces)
        offsets.extend([match.start(1)] * len(pieces))
    kept = _kept(tokens) if _has_marks(text) else range(len(tokens))
    places = [offsets[place] for place in kept if tokens[place]]
    return places[index] if index < len(places) else len(text)


def _prepared(text: str) -> str:
    """Mathematical alphabets to plain letters and doubled backslashes to single ones, in place."""
    if "\\\\" in text and "\\begin" not in text:
        text = _DOUBLED.sub(r" \\", text)
    if text.isascii() or max(text) < "\U0001d400":
        return text
    return "".join(
        unicodedata.normalize("NFKC", char) if "\U0001d400" <= char <= "\U0001d7ff" else char
        for char in text
    )


def _kept(tokens: list[str]) -> list[int]:
    r"""The places left without ``&`` and ``\\`` outside tables, and without empty groups.

    Renames two kinds of token in place: the first underscore of ``_2F_1``, and the bar of
    ``\left. x \right| m``.
    """
    _mark_hypergeometric(tokens)
    bars = _separating_bars(tokens) if "\\left." in tokens else ()
    kept: list[int] = []
    tables = 0
    for place, token in enumerate(tokens):
        if token.startswith("\\begin "):
            tables += 1
        elif token.startswith("\\end "):
            tables -= 1
        elif (tables <= 0 and (token == "&" or token == "\\\\")) or place in bars:
            continue
        elif token == "}" and kept and tokens[kept[-1]] == "{" and kept[-1] == place - 1:
            before = tokens[kept[-2]] if len(kept) > 1 else ""
            if before not in ("^", "_"):
                kept.pop()
                continue
        kept.append(place)
    return kept


Speller = Callable[[str], tuple[str, ...]]


def _mark_hypergeometric(tokens: list[str]) -> None:
    for place, token in enumerate(tokens):
        if token == "F" and place > 1 and tokens[place + 1 : place + 2] == ["_"]:
            if tokens[place - 2] == "_":
                tokens[place - 2] = "\\hyper"
            elif place > 3 and tokens[place - 1] == "}" and tokens[place - 4] == "_":
                tokens[place - 4] = "\\hyper"


def _separating_bars(tokens: list[str]) -> set[int]:
    r"""Renames the bars of ``\left. x \right| m``; the places of their ``\left.``."""
    found: set[int] = set()
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token in ("(", "[", "\\{", "\\left|", "\\left."):
            opened.append(place)
        elif token in (")", "]", "\\}", "\\right|", "\\right.") and opened:
            start = opened.pop()
            # With limits it is the bar of an evaluation.
            limits = tokens[place + 1 : place + 2] in (["_"], ["^"])
            if tokens[start] == "\\left." and token == "\\right|" and not limits:
                tokens[place] = "\\middle|"
                found.add(start)
    return found


def speller(symbols: frozenset[str], known: Mapping[str, object]) -> Speller:
    """The function that spells a raw token canonically, given the names that a problem uses."""
    cache: dict[str, tuple[str, ...]] = {}

    def spell(raw: str) -> tuple[str, ...]:
        tokens = cache.get(raw)
        if tokens is None:
            tokens = _spell(raw, symbols, known)
            if len(cache) < 4096 and len(raw) <= _LONGEST_RUN:
                cache[raw] = tokens
        return tokens

    return spell


def _spell(raw: str, symbols: frozenset[str], known: Mapping[str, object]) -> tuple[str, ...]:
    if raw in known or not raw:
        return (raw,)
    synonym = _SYNONYMS.get(raw) or _LETTER_OF.get(raw)
    if synonym is not None:
        return (synonym,)
    first = raw[0]
    if first.isascii() and first.isalpha():
        return _split(raw, symbols)
    if first in _SUPERSCRIPT:
        return ("^", "{", *_digits_and_letters(raw.translate(_SUPERSCRIPT_PLAIN)), "}")
    if first in _SUBSCRIPT:
        return ("_", "{", *_digits_and_letters(raw.translate(_SUBSCRIPT_PLAIN)), "}")
    if first != "\\" or len(raw) == 1:
        return (raw,)
    return _spell_command(raw, symbols)


def _digits_and_letters(text: str) -> list[str]:
    return re.findall(r"[0-9]+|.", text)


def _spell_command(raw: str, symbols: frozenset[str]) -> tuple[str, ...]:
    if raw in _DROPPED:
        return ()
    name = raw[1:]
    if name in GREEK_VARIANTS:
        name = GREEK_VARIANTS[name]
        return (name,) if len(name) == 1 else ("\\" + name,)
    if name in GREEK:
        return (raw,)
    if name in NAMES:
        return (NAMES[name],)
    if raw.startswith("\\\\"):
        return ("\\\\",)
    head = re.match(r"\\([A-Za-z]+)", raw)
    command = head[1] if head else ""
    rest = raw[len(command) + 1 :].lstrip("*").strip()
    if rest.startswith("{") and rest.endswith("}"):
        content = rest[1:-1].strip()
        if command in ("begin", "end"):
            return _environment(command, content.partition("}")[0])
        if re.match(_TEXT, raw[1:]):
            return _word(content, command.startswith("operatorname"), symbols)
    if re.fullmatch(_INVISIBLE, raw[1:]):
        return ()
    if rest in _DELIMITERS and re.match(r"left|right|middle|big|Big", command):
        return _delimiter(command, rest)
    lowered = NAMES.get(name.lower())
    if lowered is not None and len(name) > 2:
        return (lowered,)
    return (raw,)


def _environment(command: str, name: str) -> tuple[str, ...]:
    name = name.rstrip("*")
    return (f"\\{command} {name}",) if name in _TABULAR else ()


def _delimiter(command: str, mark: str) -> tuple[str, ...]:
    kind = _DELIMITERS[mark]
    if kind == "|":
        if command == "left" or command.endswith("l"):
            return ("\\left|",)
        if command == "right" or command.endswith("r"):
            return ("\\right|",)
        return ("\\middle|",) if command == "middle" else ("|",)
    if kind == ".":
        return (f"\\{command}.",)
    if kind == "/":
        return ("/",)
    return (_SYNONYMS.get(mark, mark),)


def _word(content: str, is_operator: bool, symbols: frozenset[str]) -> tuple[str, ...]:
    r"""What stands in ``\operatorname{...}``, ``\mathrm{...}`` or ``\text{...}``."""
    content = content.strip("\u2061 ")
    if not content or content in "~,.;:":
        return ()
    if content in ("e", "i") or (content == "d" and "d" not in symbols):
        return ("\\upright " + content,)
    if content in symbols:
        return (content,)
    if is_operator and content in ("S", "C"):
        return ("\\fn fresnel" + content.lower(),)
    name = NAMES.get(content) or NAMES.get(content.replace(" ", ""))
    if name is not None:
        return (name,)
    if content.isascii() and content.isalpha() and len(content) > 2:
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
        return ("\\if",) if not inner else ("\\if", *_pieces(inner, symbols))
    if _OTHERWISE.search(word):
        return ("\\otherwise",)
    if re.fullmatch(r"[A-Za-z](_?[0-9]+)?|[0-9.]+|d[a-z]", content):
        return _pieces(content, symbols)
    return (f"\\text {content[:40]}",)


def _pieces(content: str, symbols: frozenset[str]) -> tuple[str, ...]:
    pieces: list[str] = []
    for token in _TOKEN.findall(content):
        if token.isalpha():
            pieces.extend(_split(token, symbols))
        elif token:
            pieces.append(_SYNONYMS.get(token, token))
    return tuple(pieces)


def _split(run: str, symbols: frozenset[str]) -> tuple[str, ...]:
    """A run of letters to names and letters, longest names first."""
    if run in symbols or len(run) == 1:
        return (run,)
    if len(run) > _LONGEST_RUN:
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
    place = 0
    while place < len(run):
        for length in range(min(longest, len(run) - place), 1, -1):
            name = run[place : place + length]
            if name in symbols:
                pieces.append(name)
                break
            if name in SPLITTABLE:
                pieces.append(_maybe_product(name, symbols))
                break
        else:
            length = 1
            name = run[place]
            pieces.append(name)
        unknown += length == 1 and name not in symbols and name not in "eiCcKk"
        place += length
    # Letters that nobody spoke of are constants; a whole word of them is prose.
    if unknown > (1 if len(run) > 2 and symbols.isdisjoint(pieces) else 2 if symbols else 4):
        return (f"\\text {run[:40]}",)
    return tuple(pieces)


def _maybe_product(name: str, symbols: frozenset[str]) -> str:
    """``asin`` is a custom of its own where ``a`` is a symbol."""
    if name[0] == "a" and "a" in symbols and name[1:] in NAMES:
        return "\\a " + NAMES[name][1:] + " " + NAMES[name[1:]][1:]
    return NAMES[name]
