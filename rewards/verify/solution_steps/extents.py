"""How far the operand of an integral sign, an operator or an evaluation bar extends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...reading.extraction.boxes import closing_brace
from ...reading.extraction.clean import clean
from ...reading.extraction.visible import plain
from ...reading.latex.tokens.names import GREEK_CHARACTERS
from ...reading.problem.differential import D, Differential, differentials_in_order
from ...reading.problem.layout import opening as opening_bracket
from ...reading.problem.layout import with_large_limits

_FRACTION = re.compile(r"\\[dt]?frac\s*$")
_LIMIT_BEFORE = re.compile(r"\\lim(?:\\limits)?\s*_\s*\{(?:[^{}]|\{[^{}]*\})*\}")
_OPEN, _CLOSE = "([{", ")]}"
_FLAT_GROUP = re.compile(r"(?:\\left\s*)?\(([^()]*)\)")
_BRACED = re.compile(r"\{[^{}]*\}")
_BARE_DENOMINATOR = re.compile(rf"(\\[dt]?frac\s*\{{[^{{}}]*{D}\s*\\?[A-Za-z]+\s*\}})\s*(\d)")
#: Nothing that is seen: ``\\,`` before ``du`` is no factor of it.
_BLANK = re.compile(r"(?:\\(?:[,;:! ]|q?quad(?![A-Za-z]))|\s)*")

_HIGH_DERIVATIVE = re.compile(
    r"(?<![A-Za-z\\])(?P<name>[fghFGuvy](?:_(?:\w|\{\w+\}))?)\s*(?:\\,)?\s*\^\s*\{?\s*"
    r"\(\s*(?P<order>[\dn]+)\s*\)\s*\}?"
)
#: The variable of a bar, ``|_{x=0}``; its sign must not look as that of a remark does.
_BAR_NAME = re.compile(r"([|\]]|vert)\s*_\s*\{\s*(\\?[A-Za-z]+)\s*=")
#: ``O(x^3)``: what is left out of a formula.
_ORDER_TERM = re.compile(r"(?<![A-Za-z\\])[Oo]\s*(?:\\left|\\[bB]igl?)?\s*\(|\\mathcal\s*\{?\s*O")
_DOTS = re.compile(r"(\d\.\d+)\s*(?:\\[lc]?dots(?![A-Za-z])|\.{3})\s*\Z")
#: ``\\Delta x`` is one symbol.
_DELTA = re.compile(r"\\Delta\s*([A-Za-z])(?![A-Za-z])")
#: Greek letters as characters, which may be variables of differentials: ``dθ``.
_GREEK = re.compile(f"[{''.join(GREEK_CHARACTERS)}]")
_COLOUR = re.compile(r"\\(?:text)?color\s*(?:\{[^{}]*\}\s*)?\{([^{}]*)\}")
_POWER = re.compile(r"\s*\^\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\d)")
#: ``C(x)`` and ``C'``, constants that are varied, and ``f^{-1}``, an inverse function.
_CONSTANT_OF = re.compile(
    r"(?<![A-Za-z\\^_{])[A-EKck](?:_\{?\d\}?)?\s*(?:\\left)?\(\s*[a-z]\s*(?:\\right)?\)"
    r"|(?<![A-Za-z\\])[fghFG]\s*\^\s*\{?\s*-\s*1(?!\d)"
    r"|(?<![A-Za-z\\])[CcKk]\s*(?:_\{?\d\}?)?\s*(?:'|\^\{?\s*\\prime)"
)
#: Orders of derivatives that are read: textbooks have up to 10, and each one takes work.
_HIGHEST = 12


class NotReadError(ValueError):
    """A side of an equation is unreadable as a formula."""


def released(text: str) -> str:
    r"""Remove the parentheses around a product with a differential, as in ``(2x\,dx)``."""
    text = _BARE_DENOMINATOR.sub(r"\1{\2}", text)
    for group in _FLAT_GROUP.finditer(text):
        inner = group[1].removesuffix("\\right").strip()
        sign = "(-1)" if inner.startswith("-") else ""
        inner = inner.removeprefix("-")
        terms = _BRACED.sub("", inner)
        if any(differentials_in_order(inner)) and "+" not in terms and "-" not in terms:
            return f"{text[: group.start()]} {sign}{inner} {text[group.end() :]}"
    return text


def extent(text: str, differential: Differential) -> tuple[str, str, str]:
    """Split the text after an integral sign into the integrand, the variable and the rest."""
    at, end, name = differential.start, differential.end, differential.variable
    opened: list[int] = []
    for index in range(at):
        if text[index] in _OPEN and text[index - 1 : index] != "\\":
            opened.append(index)
        elif text[index] in _CLOSE and text[index - 1 : index] != "\\":
            if not opened:
                raise NotReadError("an integral without a differential")
            opened.pop()
    if not opened:
        front, tail = text[:at], text[end:]
        return (front, name, tail) if front.strip() else _in_front(name, tail)
    numerators = [(at_open, *_numerator(text, at_open)) for at_open in opened]
    top, close, _ = numerators[-1]
    filled = not _BLANK.fullmatch(text[top + 1 : at] + text[end:close])
    behind = numerators[0][2] + 1
    return f"{text[:at]}{'' if filled else '1'}{text[end:behind]}", name, text[behind:]


def _numerator(text: str, at: int) -> tuple[int, int]:
    """The end indices of a numerator and of the denominator. The numerator begins at ``at``."""
    close = closing_brace(text, at) if text[at] == "{" else -1
    if close < 0 or not _FRACTION.search(text[:at]):
        raise NotReadError("a differential within a group")
    bottom = closing_brace(text, close + 1)
    if bottom < 0 or text[close + 1 : close + 2] != "{":
        raise NotReadError("a fraction without a denominator")
    return close, bottom


def _in_front(name: str, tail: str) -> tuple[str, str, str]:
    r"""Split the text of an integral whose differential comes first.

    The result is the integrand, the variable and the rest of the text. Examples of such integrals
    are ``\int dx``, ``\int dx\, f(x)`` and ``\int dx / f``.
    """
    text = tail.lstrip()
    if not text or text[0] in "+-=)]}" or text.startswith("\\right"):
        return "1", name, tail
    body, remainder = operand(text, grouped=False)
    return (f"1{body}" if body.startswith("/") else body), name, remainder


def depths(text: str) -> Iterator[tuple[int, int]]:
    """Yield each index of a text, and the number of open brackets after the index."""
    depth = 0
    for index, character in enumerate(text):
        depth += (character in _OPEN) - (character in _CLOSE)
        yield index, depth


def operand(text: str, *, grouped: bool = True) -> tuple[str, str]:
    r"""Split the text after an operator such as ``\frac{d}{dx}`` into the operand and the rest.

    If ``grouped`` is True, an operand in brackets ends with the closing bracket. Any other operand
    ends at the end of the term.
    """
    grouped &= re.match(r"(?:\\(?:left|[bB]igg?l?)\s*)?[([{]", text) is not None
    for index, depth in depths(text):
        if depth < 0:
            return text[:index], text[index:]
        if grouped and not depth and text[index] in _CLOSE:
            power = _POWER.match(text, index + 1)  # (1 + x)^2 is one operand
            end = power.end() if power else index + 1
            return text[:end], text[end:]
        if not grouped and not depth and text[index] in "+-=" and text[:index].strip("\\,;:! "):
            return text[:index], text[index:]
    return text, ""


def opening(text: str, close: int) -> int:
    """The index of the opening bracket for the closing bracket at ``close``."""
    index = opening_bracket(text, close)
    if index < 0:
        raise NotReadError("a bracket that is not opened")
    return index


def _ends_operand(text: str) -> bool:
    """Whether a text ends with an operand. A sign after an operand is a binary operator."""
    final = text.rstrip()[-1:]
    return bool(final) and (final.isalnum() or final in ")}]|")


def bar_starts(text: str, at: int) -> list[int]:
    """The possible start indices of F in ``F|_a^b``. The bar is at the index ``at``.

    F is either all terms before the bar, or only the last term.
    """
    depth, start, term = 0, 0, -1
    for index in range(at - 1, -1, -1):
        depth += (text[index] in _CLOSE) - (text[index] in _OPEN)
        if depth < 0:
            start = index + 1
            break
        if depth:
            continue
        if term < 0 and text[index] in "+-" and _ends_operand(text[max(0, index - 9) : index]):
            term = index + 1
        if text[index : index + 4] == "{Q_{":
            # Another bar ends here: only the last term is meant.
            start = term if term >= 0 else text.find("}}", index) + len("}}")
            break
    limit = list(_LIMIT_BEFORE.finditer(text, start, at))
    start = limit[-1].end() if limit else start
    return [start] if term <= start else [start, term]


def terms_with(text: str, name: str) -> list[tuple[str, str]]:
    """The possible operands of a limit, the likeliest first, each with the remaining text.

    ``text`` begins after the limit sign. One operand is the first term. If the limit's variable
    ``name`` occurs in later terms, the likeliest operand has all terms.
    """
    readings = [operand(text, grouped=False)]
    end = next((at for at, depth in depths(text) if depth < 0), len(text))
    if re.search(rf"(?<![A-Za-z\\]){re.escape(name)}(?![A-Za-z])", text[len(readings[0][0]) : end]):
        readings.insert(0, (text[:end], text[end:]))
    return readings


def prepared(latex: str) -> str:
    """Rewrite the LaTeX of a side in a uniform spelling."""
    latex = _COLOUR.sub(r" \1 ", latex) if "color" in latex else latex
    text = clean(_BAR_NAME.sub(r"\1_{\2:", plain(latex)))
    text = _DOTS.sub(r"\1", text) if "dots" in text or "..." in text else text
    text = _DELTA.sub(r"\\Delta_{\1}", text) if "Delta" in text else text
    if text.isascii():
        return text
    return with_large_limits(_GREEK.sub(lambda letter: f"\\{GREEK_CHARACTERS[letter[0]]} ", text))


def varies_a_constant(latex: str) -> bool:
    """Whether a formula has ``C(x)``, ``C'`` or an inverse function. These are not read."""
    return _CONSTANT_OF.search(latex) is not None


def leaves_out_terms(latex: str) -> bool:
    """Whether a formula has a sign for omitted terms, such as ``O(x^3)``."""
    return _ORDER_TERM.search(latex) is not None


def with_primes(text: str) -> str:
    """Write the orders of derivatives as primes: ``f^{(4)}`` becomes ``f''''``.

    Raises:
        NotReadError: the order of a derivative is not a small number.

    """
    return _HIGH_DERIVATIVE.sub(_primes, text)


def _primes(high: re.Match[str]) -> str:
    if not high["order"].isdigit() or int(high["order"]) > _HIGHEST:
        raise NotReadError("a derivative of a general order")
    return high["name"] + "'" * int(high["order"])
