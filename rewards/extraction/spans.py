"""Where a text holds formulas: between delimiters, in code, or bare among the words."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Every branch begins with a literal, so that the search runs at the speed of a scan.
_DELIMITER = re.compile(
    r"\\\\|\\(?P<command>[\[(])|\$(?P<dollar>\$?)|\\\$|`(?P<ticks>(?:``)?)|~(?P<tildes>~~)"
    r"|\\begin\s?\{(?P<env>(?:align|aligned|alignat|gather|gathered|multline|split|equation|eqnarray|flalign|math|displaymath)\*?)\}"
)
# "\[ .. \]" that lost its backslashes, on lines of its own.
_LOST = re.compile(
    r"(?:\A|(?<=\n))[ \t]{0,8}\[(?=[ \t\n])([^\]\[]{0,2000}(?:\[[^\]\[]{0,200}\][^\]\[]{0,2000}){0,8}[ \t\n])\](?=[ \t]{0,4}[.,]?[ \t]{0,4}(?:\n|\Z))"
)
_CLOSERS = {"[": "\\]", "(": "\\)"}
_MATH_LANGUAGES = frozenset({"", "latex", "tex", "math", "markdown", "md", "text", "plaintext", "txt", "katex", "mathjax"})
_LANGUAGE = re.compile(r"[ \t]*([\w+-]*)[ \t]*(?:\n|\Z)")
#: The constant of integration, standing after a formula's closing delimiter.
_LOOSE_CONSTANT = re.compile(r"[ \t]{0,4}\+\s?(?:C|c|K|k|const(?:ant)?\.?)(?:_\{?\w\}?)?(?![\w^(])")
_JOINT = re.compile(r"[ \t]{0,4}([-+=]?)[ \t]{0,4}\Z")


@dataclass(slots=True)
class Span:
    """A formula and where it stands, delimiters included."""

    kind: str  # display, inline, code, bare
    latex: str
    start: int
    end: int


def restored(text: str) -> str:
    """The text with display delimiters that lost their backslashes put right."""
    if "[ " not in text and "[\n" not in text or "\\[" in text:
        return text
    return _LOST.sub(lambda m: f"\\[{m[1]}\\]" if _FORMULA.search(m[1]) else m[0], text)


_FORMULA = re.compile(r"\\[a-z]|=|\+")


def spans(text: str) -> list[Span]:
    """The delimited formulas of a text, in order; neighbours that are one formula are joined."""
    found: list[Span] = []
    position = 0
    size = len(text)
    while position < size:
        token = _DELIMITER.search(text, position)
        if token is None:
            break
        position = token.end()
        group = token.lastgroup
        if group is None:
            continue
        opener = token[group] if group in ("command", "env") else token[0]
        if group == "command":
            close = text.find(_CLOSERS[opener], position)
            again = text.find("\\" + opener, position)
            if close < 0 or 0 <= again < close:  # never closed: up to the end of its paragraph
                close, width = _paragraph_end(text, position, again), 0
            else:
                width = 2
            _add(found, "display" if opener == "[" else "inline", text, token.start(), position, close, width)
            position = close + width
        elif group == "dollar":
            close = text.find(opener, position)
            if close > 0 and opener == "$":
                while close > 0 and text[close - 1] == "\\":
                    close = text.find("$", close + 1)
                if "\n\n" in text[position:close]:
                    close = -1
            if close < 0:
                if opener == "$":
                    continue
                close, width = _paragraph_end(text, position, -1), 0
            else:
                width = len(opener)
            _add(found, "display" if opener == "$$" else "inline", text, token.start(), position, close, width)
            position = close + width
        elif group == "ticks" or group == "tildes":
            close = text.find(opener, position)
            if len(opener) == 3:
                language = _LANGUAGE.match(text, position)
                tag = language[1].lower() if language else ""
                if tag in _MATH_LANGUAGES:
                    if language and (tag or language.end() > position):
                        position = language.end()
                    if close < 0 or not _DELIMITER.search(text[position:close]):
                        close = size if close < 0 else close
                        _add_lines(found, text, token.start(), position, close)
                        position = close + 3
                    # Otherwise its delimiters speak for themselves.
                else:
                    position = size if close < 0 else close + 3
            elif close > 0 and "\n" not in text[position:close]:
                inner = text[position:close]
                if "$" in inner or "\\(" in inner or "\\[" in inner:
                    continue
                _add(found, "code", text, token.start(), position, close, len(opener))
                position = close + len(opener)
        else:
            close = text.find("\\end{" + opener + "}", position)
            close = size if close < 0 else close
            _add(found, "display", text, token.start(), position, close, len(opener) + 6)
            position = min(close + len(opener) + 6, size)
    return found


def _paragraph_end(text: str, start: int, limit: int) -> int:
    end = text.find("\n\n", start)
    ends = [at for at in (end, limit) if at >= 0]
    return min(ends) if ends else len(text)


def _add(found: list[Span], kind: str, text: str, start: int, left: int, right: int, width: int) -> None:
    latex = text[left:right]
    end = min(right + width, len(text))
    if "+" in text[end : end + 5] and (loose := _LOOSE_CONSTANT.match(text, end)):
        latex, end = latex + loose[0], loose.end()
    if kind == "inline" and found and start - found[-1].end < 10 and found[-1].kind == "inline":
        before = found[-1]
        joint = _JOINT.match(text, before.end, start)
        if joint and latex.strip() and before.latex.strip():
            sign = joint[1]
            if sign or before.latex.rstrip()[-1:] in "+-=" or latex.lstrip()[:1] in "+=":
                found[-1] = Span(kind, f"{before.latex} {sign} {latex}", before.start, end)
                return
    if latex.strip():
        found.append(Span(kind, latex, start, end))


def _add_lines(found: list[Span], text: str, start: int, left: int, right: int) -> None:
    """The lines of a code fence: each a formula of its own."""
    position = left
    for line in text[left:right].split("\n"):
        if line.strip():
            begin = position if position > left else start
            found.append(Span("display", line, begin, min(position + len(line), len(text))))
        position += len(line) + 1
    if found and found[-1].end <= right:
        found[-1].end = min(right + 3, len(text))


# --- Formulas without delimiters -----------------------------------------------------------------
_FUNCTION = (
    r"(?:arc|ar|a)?(?:sinh?|cosh?|tanh?|coth?|sech?|csch?|cosec)|ln|log|lg|exp|sqrt|cbrt|erfc?i?|abs|sgn|sign|li|ei|si|ci|gamma|arg"
)
_MATH_WORD = re.compile(
    rf"(?:d?[xtuvyzswθ]|[a-ce-hkmnpqrCα-ω]?[xtuvyz]|[xtuvyz]?[α-ω]|xe|te|ue|ex|pi|dx|dt|du|ax|bx|kx|nx|const|constant|C|Li|Ei|Si|Ci|int|frac"
    rf"|(?:[xtuvyznkab0e]?(?:{_FUNCTION})[xtuvyzθ]?)+)",
    re.IGNORECASE,
)
_PROSE = frozenset({"by", "my", "any", "say", "try", "at", "as", "cost", "sins", "logs", "sign", "at", "int", "gamma", "cx", "ay"} - {"sign", "gamma", "int"})
_LEXEME = re.compile(
    r"\\(?:text|mathrm|operatorname|mbox|textrm|mathcal|mathbf)\s?\*?\s?\{[^{}\n]{0,80}\}|\\[A-Za-z]+"
    r"|(?P<word>[^\W\d_²³¹⁰-₟]{2,}(?:['-][^\W\d_]+)?)|(?P<break>[:;.!?](?=\s|\Z|\*)|[\"#>]{1,6}(?=\s)|(?<=\n)\s*(?:[-*•+]|\d{1,2}[.)])\s)"
    r"|(?P<article>(?<![\w^_{(*/+=-])[aI](?=\s+[^\W\d_]{3,}))"
)


def bare_spans(text: str, start: int, end: int) -> list[Span]:
    """Stretches of a text between its words that may be formulas."""
    found: list[Span] = []
    left = start
    for line_end in _line_ends(text, start, end):
        for lexeme in _LEXEME.finditer(text, left, line_end):
            group = lexeme.lastgroup
            if group is None:
                continue
            word = lexeme[0]
            if group == "word" and _is_math_word(word, text, lexeme.start(), lexeme.end()):
                continue
            _add_bare(found, text, left, lexeme.start())
            left = lexeme.end()
        _add_bare(found, text, left, line_end)
        left = line_end
    return found


def _line_ends(text: str, start: int, end: int) -> list[int]:
    ends = []
    at = text.find("\n", start, end)
    while at >= 0:
        ends.append(at + 1)
        at = text.find("\n", at + 1, end)
    if not ends or ends[-1] < end:
        ends.append(end)
    return ends


def _is_math_word(word: str, text: str, start: int, end: int) -> bool:
    if word.lower().startswith("const"):
        return text[max(start - 4, 0) : start].rstrip().endswith(("+", "-"))
    if _MATH_WORD.fullmatch(word) and word.lower() not in _PROSE:
        return True
    # "xyz(": not a word that anybody writes before a bracket or a power, unless a space is between
    return end < len(text) and text[end] in "^_" and len(word) <= 4


def _add_bare(found: list[Span], text: str, left: int, right: int) -> None:
    latex = text[left:right]
    stripped = latex.strip(" \t\n*_#>-:,;.\"'`|") if latex.strip()[:1] != "-" else latex.strip()
    if stripped and re.search(r"[A-Za-z\d]", stripped) and (len(stripped) > 1 or stripped.isalnum()):
        begin = left + len(latex) - len(latex.lstrip())
        latex = latex.strip()
        if latex.startswith(("[ ", "( ")) and latex.rstrip(".,").endswith((" ]", " )")):
            latex = latex.rstrip(".,")[1:-1]  # delimiters that lost their backslashes
        found.append(Span("bare", latex, begin, left + len(text[left:right].rstrip())))
