r"""One side of an equation as a tree, with integrals, derivatives and differentials in it.

The LaTeX reader reads closed forms. What is none is cut out first and stands in the tree as a
symbol (``Q_1``), so that ``x e^x - \int e^x\,dx`` is read as ``x e^x - Q_1``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from unicodedata import normalize

from ...errors import ProblemError
from ...reading.expression.build import ONE
from ...reading.expression.traversal import symbols_of
from ...reading.expression.tree import Expression, Symbol
from ...reading.extraction.boxes import closing_brace
from ...reading.extraction.clean import clean
from ...reading.extraction.visible import plain
from ...reading.latex import ReadError, Reading, read
from ...reading.latex.functions import GREEK_VARIANTS
from ...reading.problem import Limit, limit_of, limits_of
from ...reading.problem.differential import D, differentials_in_order

#: Readings of a side that are tried, symbols in place of its parts, and characters of it.
READINGS, PARTS, LONGEST = 3, 24, 4000


@dataclass(frozen=True, slots=True)
class Integral:
    """An integral; an indefinite one has no limits."""

    integrand: Expression
    variable: str
    limits: tuple[Limit, Limit] | None = None


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of a tree."""

    of: Expression
    variable: str


@dataclass(frozen=True, slots=True)
class Differential:
    """``dx`` outside an integral."""

    variable: str


@dataclass(frozen=True, slots=True)
class Change:
    """``F`` between two limits; ``variable`` is None where the limits do not name it."""

    of: Expression
    variable: str | None
    limits: tuple[Limit, Limit]


@dataclass(frozen=True, slots=True)
class LimitAt:
    """The limit of a tree at a point (-1 and 1: the infinities), from a side or from both."""

    of: Expression
    variable: str
    point: Limit
    side: int = 0


@dataclass(frozen=True, slots=True)
class Value:
    """A function of the text at a place: ``F(2)``."""

    function: str
    at: Expression


Part = Integral | Derivative | Differential | Change | LimitAt | Value


@dataclass(frozen=True, slots=True)
class Side:
    """A tree and what the symbols in it stand for that are parts."""

    expression: Expression
    parts: Mapping[str, Part]

    def has(self, *kinds: type[Part]) -> bool:
        """Whether it has a part of one of these kinds."""
        return any(isinstance(part, kinds) for part in self.parts.values())


class NotReadError(ValueError):
    """The side is no formula that is read here."""


def read_sides(
    latex: str,
    names: Collection[str],
    functions: tuple[Mapping[str, str], Mapping[str, str]],
    variable: str,
    numbers: Iterator[int],
) -> list[Side]:
    r"""The readings of a side, the likeliest first; none if it cannot be read.

    Args:
        latex: its LaTeX.
        names: symbols of the problem and of the definitions in force.
        functions: names that the text has given to functions (``F(x)``), with their variables, and
            all that can be applied to a number (``u(1)`` where u = x^2).
        variable: that of derivatives that name none (``F'``).
        numbers: for the symbols of parts, so that no two sides share one.

    """
    if len(latex) > LONGEST:
        return []
    latex = _COLOUR.sub(r" \1 ", latex) if "color" in latex else latex
    latex = _GLUED.sub(r"\1\\,d\2", latex) if "d" in latex else latex
    text = clean(_BAR_NAME.sub(r"\1_{\2:", plain(latex)))
    text = _DOTS.sub(r"\1", text) if "dots" in text or "..." in text else text
    text = _DELTA.sub(r"\\Delta_{\1}", text) if "Delta" in text else text
    text = _SMALL_LIMITS.sub(_large, text) if not text.isascii() else text
    sides: list[Side] = []
    for choice in range(READINGS):
        reader = _Reader(frozenset(names), choice, variable, functions[1], numbers)
        try:
            side = Side(reader.tree(reader.called(text, *functions)), reader.parts)
        except (NotReadError, ReadError, ProblemError, RecursionError):
            break
        sides.append(side)
        if not reader.ambiguous:
            break
    return sides


_INT = re.compile(r"(?:\\int(?![A-Za-z])|∫)\s*(?:\\(?:no)?limits(?![A-Za-z]))?\s*")
_SEVERAL = re.compile(r"\\(?:iint|iiint|oint|idotsint|fint)(?![A-Za-z])|[∬∭∮]")
_FRACTION = re.compile(r"\\[dt]?frac\s*$")
#: ``f(x)``; without a definition of f this is no product.
_FUNCTION_OF = re.compile(
    r"(?<![A-Za-z\\^_{])(?P<name>[fghuvwyFGHPQR])\s*(?:\\left)?\(\s*(?:[a-z]|\\theta)\s*(?:\\right)?\)"
)
_LIMIT_BEFORE = re.compile(r"\\lim(?:\\limits)?\s*_\s*\{(?:[^{}]|\{[^{}]*\})*\}")
_HIGH_DERIVATIVE = re.compile(r"(?<![A-Za-z\\])[fghFGuvy]\s*(?:\\,)?\s*\^\s*\{?\s*\(\s*[\dn]+\s*\)")
_SIZE = re.compile(r"\\(?:right|[bB]igg?r?)\s*\Z")
_OPEN, _CLOSE = "([{", ")]}"
_FLAT_GROUP = re.compile(r"(?:\\left\s*)?\(([^()]*)\)")
_BRACED = re.compile(r"\{[^{}]*\}")
_BARE_DENOMINATOR = re.compile(rf"(\\[dt]?frac\s*\{{[^{{}}]*{D}\s*\\?[A-Za-z]+\s*\}})\s*(\d)")
_TERM_ENDS = re.compile(r"[-+=]")
#: Nothing that is seen: ``\\,`` before ``du`` is no factor of it.
_BLANK = re.compile(r"(?:\\(?:[,;:! ]|q?quad(?![A-Za-z]))|\s)*")
#: ``\frac{d}{dx}`` and ``\frac{du}{dx}``
_OPERATOR = re.compile(
    rf"\\[dt]?frac\s*\{{\s*{D}\s*(?P<of>\\[A-Za-z]+|[A-Za-z])?\s*\}}"
    rf"\s*\{{\s*{D}\s*(?P<by>\\[A-Za-z]+|[A-Za-z])\s*\}}\s*"
    rf"|(?<![A-Za-z]){D}\s?(?P<of2>[A-Za-z])\s?/\s?{D}\s?(?P<by2>[A-Za-z])(?![A-Za-z])\s*"
)
_PRIME = re.compile(
    r"(?P<name>[A-Za-z])\s*(?:'(?!')|\^\{?\s*\\prime\s*\}?)|(?P<group>\))\s*(?:'(?!')|\^\{?\s*\\prime\s*\}?)"
)
#: The end of ``[F]_a^b`` and ``F \Big|_a^b``.
_AT = re.compile(
    r"(?P<size>\\right|\\[bB]igg?[lr]?)?\s*(?P<mark>\]|\||\\[rl]?vert(?![A-Za-z])"
    r"|\)(?=\s*_\s*(?:\{[^{}]*\}|\w)\s*\^))\s*(?=[_^])"
)
_LIMIT = re.compile(r"\\lim(?![A-Za-z])\s*(?:\\limits(?![A-Za-z]))?\s*(?=_)")
_TENDS = re.compile(
    r"\{\s*(?P<name>\\?[A-Za-z]+)\s*(?:\\(?:to|(?:long)?rightarrow)(?![A-Za-z])|→|->)\s*"
    r"(?P<point>.+?)\s*(?:\^\s*\{?\s*(?P<side>[+-])\s*\}?)?\s*\}",
    re.DOTALL,
)
#: The variable of a bar, ``|_{x=0}``; its sign must not look as that of a remark does.
_BAR_NAME = re.compile(r"([|\]]|vert)\s*_\s*\{\s*(\\?[A-Za-z]+)\s*=")
_DOTS = re.compile(r"(\d\.\d+)\s*(?:\\[lc]?dots(?![A-Za-z])|\.{3})\s*\Z")
_INDEX = re.compile(r"\\(?:sum|prod)(?:\\limits)?\s*_\s*\{?\s*([a-z])\s*=")
#: ``\\Delta x`` is one symbol.
_DELTA = re.compile(r"\\Delta\s*([A-Za-z])(?![A-Za-z])")
#: ``x dx`` and ``e^xdx`` without a space.
_GLUED = re.compile(r"(?<![A-Za-z\\])([A-Za-z])d([a-z])(?![A-Za-z])")
#: Limits in small digits, both or the lower one: ``∫₀¹``, ``∫₀^π``.
_SMALL_LIMITS = re.compile(r"(?<=[t\]|])\s*([₀-₉₊₋]+)\s*(?:([⁰¹²³⁴-⁹⁺⁻]+)|(?=\^))")
_COLOUR = re.compile(r"\\(?:text)?color\s*(?:\{[^{}]*\}\s*)?\{([^{}]*)\}")
_NAMED_LIMIT = re.compile(r"\{\s*(?P<name>\\?[A-Za-z]+)\s*[:=]\s*(?P<value>.*)\}$", re.DOTALL)


class _Reader:
    """Reads one side; ``choice`` numbers the reading that is taken of what is ambiguous."""

    def __init__(
        self,
        names: frozenset[str],
        choice: int,
        variable: str,
        applied: Mapping[str, str],
        numbers: Iterator[int],
    ) -> None:
        self.names = names
        self.choice = choice
        self.variable, self.applied = variable, applied
        self.numbers = numbers
        self.ambiguous = False
        self.parts: dict[str, Part] = {}

    def tree(self, text: str) -> Expression:
        """The tree of a text."""
        if _SEVERAL.search(text):
            raise NotReadError("a multiple integral")
        text = self._changes(self._derivatives(text))
        while signs := list(_INT.finditer(text)):
            text = self._integral(text, signs[-1])
        for mark in reversed(list(_LIMIT.finditer(text))):
            text = self._limiting(text, mark)
        if "d" in text:
            for place in reversed(list(differentials_in_order(text))):
                if "d" not in self.names:
                    part = self._add(Differential(place.variable))
                    text = text[: place.start] + part + text[place.end :]
        return self._formula(text)

    def called(self, text: str, functions: Mapping[str, str], applied: Mapping[str, str]) -> str:
        """The text with ``F(x)`` as ``F``, and with a part for ``F(2)``."""
        names = "|".join(map(re.escape, applied))
        mark = rf"(?<![A-Za-z\\^])\\?({names})('?)\s*(?:\\left|\\[bB]igg?l?)?\("
        calls = re.finditer(mark, text) if names else ()
        if _HIGH_DERIVATIVE.search(text):
            raise NotReadError("a higher derivative")
        for call in _FUNCTION_OF.finditer(text):
            if not {call["name"], f"\\{call['name']}"} & {*self.names, *applied}:
                raise NotReadError("a function that nothing defines")
        found = list(calls)
        if len(found) > PARTS:
            raise NotReadError("too many values of functions")
        for call in reversed(found):
            depth, end = 1, call.end()
            while depth and end < len(text):
                depth += (text[end] == "(") - (text[end] == ")")
                end += 1
            inside = _SIZE.sub("", text[call.end() : end - 1]).strip()
            value = f" {call[0][: call.end(2) - call.start()]} "
            if symbol_name(inside) != applied[call[1]]:
                at = self.tree(inside)
                if call[1] not in functions and symbols_of(at):
                    continue  # a product: u(x + 1)
                if call[2]:
                    raise NotReadError("a derivative at a place")
                value = self._add(Value(call[1], at))
            text = text[: call.start()] + value + text[end:]
        return text

    def _limiting(self, text: str, mark: re.Match[str]) -> str:
        """The text with a limit replaced, which is of the rest of its term."""
        marks, rest = limits_of(text[mark.end() :])
        tends = _TENDS.fullmatch(marks["_"])
        if tends is None:
            raise NotReadError("a limit at no point")
        name = symbol_name(tends["name"])
        operand, after = _operand(rest, grouped=False)
        side = {"+": 1, "-": -1, None: 0}[tends["side"]]
        point = self._limit(tends["point"], name)
        return (
            text[: mark.start()]
            + self._add(LimitAt(self._formula(operand), name, point, side))
            + after
        )

    def _formula(self, text: str) -> Expression:
        bound = _INDEX.findall(text) if "\\sum" in text or "\\prod" in text else []
        if any(
            bound and not _symbols_within(part).isdisjoint(bound) for part in self.parts.values()
        ):
            raise NotReadError("a sum of integrals")
        readings: tuple[Reading, ...] = read(text, symbols={*self.names, *self.parts})
        self.ambiguous |= len(readings) > self.choice + 1
        return readings[min(self.choice, len(readings) - 1)].expression

    def _add(self, part: Part) -> str:
        if len(self.parts) == PARTS:
            raise NotReadError("too many integrals")
        name = f"Q_{next(self.numbers)}"
        self.parts[name] = part
        return f" {{Q_{{{name[2:]}}}}} "

    def _integral(self, text: str, sign: re.Match[str]) -> str:
        """The text with its last integral replaced."""
        marks, rest = limits_of(text[sign.end() :])
        integrand, variable, after = _extent(_released(rest))
        if "d" not in self.names and any(differentials_in_order(integrand)):
            raise NotReadError("two differentials")
        tree = self._formula(integrand) if integrand.strip() else ONE
        limits: tuple[Limit, Limit] | None = None
        if marks:
            if "_" not in marks or "^" not in marks:
                raise NotReadError("an integral with one limit")
            limits = self._limit(marks["_"], variable), self._limit(marks["^"], variable)
        return text[: sign.start()] + self._add(Integral(tree, variable, limits)) + after

    def _limit(self, mark: str, variable: str) -> Limit:
        limit = limit_of(mark, mark, variable)
        if not isinstance(limit, int) and symbols_of(limit) & self.parts.keys():
            raise NotReadError("an integral in a limit")
        return limit

    def _derivatives(self, text: str) -> str:
        for _ in range(PARTS):
            operators = list(_OPERATOR.finditer(text))
            if not operators:
                break
            mark = operators[-1]
            by = symbol_name(mark["by"] or mark["by2"])
            of = mark["of"] or mark["of2"]
            if of:
                after = text[mark.end() :]
                inner: Expression = Symbol(symbol_name(of))
            else:
                operand, after = _operand(text[mark.end() :])
                inner = self.tree(operand)
            text = text[: mark.start()] + self._add(Derivative(inner, by)) + after
        while prime := _PRIME.search(text):
            start = prime.start()
            if prime["name"]:
                of_prime: Expression = Symbol(prime["name"])
            else:
                start = _opening(text, start)
                of_prime = self.tree(text[start + 1 : prime.start()].removesuffix("\\right"))
                start -= 5 if text[:start].endswith("\\left") else 0
            by = self.applied.get(prime["name"] or "", self.variable)
            part = self._add(Derivative(of_prime, by))
            text = text[:start] + part + text[prime.end() :]
        return text

    def _changed(self, text: str, mark: re.Match[str]) -> tuple[int, str]:
        """Where ``[F]_a^b`` begins, and F; how far ``F|_a^b`` goes back is ambiguous."""
        at = mark.start("mark")
        if mark["mark"] in "])":
            start = _opening(text, at)
            inner = text[start + 1 : mark.start()]
            size = re.search(r"\\(?:left|[bB]igg?l?)\s*$", text[:start])
            first = size.start() if size else start
            if mark["mark"] == ")" and text[:first].rstrip()[-1:].isalpha():
                raise NotReadError("limits behind the argument of a function")
            return first, inner
        left = text.rfind("\\left.", 0, at)
        if mark["size"] == "\\right" and left >= 0:
            return left, text[left + 6 : mark.start()]
        starts = _bar_starts(text, mark.start())
        self.ambiguous |= len(starts) > self.choice + 1
        start = starts[min(self.choice, len(starts) - 1)]
        return start, text[start : mark.start()]

    def _changes(self, text: str) -> str:
        for _ in range(PARTS):
            mark = _AT.search(text)
            if mark is None:
                break
            marks, after = limits_of(text[mark.end() :])
            if "_" not in marks or "^" not in marks:
                raise NotReadError("a value at one place")
            start, inner = self._changed(text, mark)
            named = _NAMED_LIMIT.fullmatch(marks["_"])
            variable = symbol_name(named["name"]) if named else None
            ends = [marks[each].replace(":", "=", 1) for each in "_^"]
            limits = [self._limit(end, variable or "") for end in ends]
            part = Change(self.tree(inner), variable, (limits[0], limits[1]))
            text = text[:start] + self._add(part) + after
        return text


def _symbols_within(part: Part) -> frozenset[str] | set[str]:
    """The symbols of what a part is of."""
    match part:
        case Integral(tree) | Derivative(tree) | Change(tree) | LimitAt(tree) | Value(_, tree):
            return symbols_of(tree)
        case Differential(variable):
            return {variable}


def symbol_name(letter: str) -> str:
    """The name of a letter in trees."""
    name = letter.lstrip("\\")
    return GREEK_VARIANTS.get(name, name)


def _large(limits: re.Match[str]) -> str:
    lower, upper = (normalize("NFKC", each or "") for each in limits.groups())
    return f"_{{{lower}}}^{{{upper}}}" if upper else f"_{{{lower}}}"


def _released(text: str) -> str:
    r"""The text with ``(\frac{du}2)`` and ``(2x\,dx)`` as factors without parentheses."""
    text = _BARE_DENOMINATOR.sub(r"\1{\2}", text)
    for group in _FLAT_GROUP.finditer(text):
        inner = group[1].removesuffix("\\right").strip()
        sign = "(-1)" if inner.startswith("-") else ""
        inner = inner.removeprefix("-")
        terms = _BRACED.sub("", inner)
        if any(differentials_in_order(inner)) and "+" not in terms and "-" not in terms:
            return f"{text[: group.start()]} {sign}{inner} {text[group.end() :]}"
    return text


def _extent(text: str) -> tuple[str, str, str]:
    """The integrand after an integral sign, its variable, and the text behind the differential."""
    differential = next(differentials_in_order(text), None)
    if differential is None:
        raise NotReadError("an integral without a differential")
    at, end, name = differential.start, differential.end, differential.variable
    opened: list[int] = []
    for place in range(at):
        if text[place] in _OPEN and text[place - 1 : place] != "\\":
            opened.append(place)
        elif text[place] in _CLOSE and text[place - 1 : place] != "\\":
            if not opened:
                raise NotReadError("an integral without a differential")
            opened.pop()
    if not opened:
        before, after = text[:at], text[end:]
        return (before, name, after) if before.strip() else _in_front(name, after)
    top = opened[0]
    close = closing_brace(text, top) if text[top] == "{" else -1
    if close < 0 or len(opened) > 1 or not _FRACTION.search(text[:top]):
        raise NotReadError("a differential within a group")
    bottom = closing_brace(text, close + 1)
    if bottom < 0 or text[close + 1 : close + 2] != "{":
        raise NotReadError("a fraction without a denominator")
    filled = not _BLANK.fullmatch(text[top + 1 : at] + text[end:close])
    fraction = text[:at] + ("" if filled else "1") + text[end : bottom + 1]
    return fraction, name, text[bottom + 1 :]


def _in_front(name: str, after: str) -> tuple[str, str, str]:
    r"""``\int dx``, ``\int dx\, f(x)`` and ``\int dx / f``."""
    text = after.lstrip()
    if not text or text[0] in "+-=)]}" or text.startswith("\\right"):
        return "1", name, after
    end = len(text)
    depth = 0
    for place, character in enumerate(text):
        depth += (character in _OPEN) - (character in _CLOSE)
        if depth < 0 or (not depth and place and _TERM_ENDS.match(character)):
            end = place
            break
    body = text[:end]
    return (f"1{body}" if body.startswith("/") else body), name, text[end:]


def _operand(text: str, *, grouped: bool = True) -> tuple[str, str]:
    r"""What ``\frac{d}{dx}`` applies to, and the rest: a group, or the rest of the term."""
    depth = 0
    grouped &= re.match(r"(?:\\(?:left|[bB]igg?l?)\s*)?[([{]", text) is not None
    for place, character in enumerate(text):
        depth += (character in _OPEN) - (character in _CLOSE)
        if depth < 0:
            return text[:place], text[place:]
        if grouped and not depth and character in _CLOSE:
            return text[: place + 1], text[place + 1 :]
        if not grouped and not depth and place and character in "+-=":
            return text[:place], text[place:]
    return text, ""


def _opening(text: str, close: int) -> int:
    """The place of the bracket that the one at ``close`` closes."""
    depth = 0
    for place in range(close, -1, -1):
        depth += (text[place] in _CLOSE) - (text[place] in _OPEN)
        if not depth:
            return place
    raise NotReadError("a bracket that is not opened")


def _ends_operand(text: str) -> bool:
    """Whether a sign behind a text is one of addition."""
    last = text.rstrip()[-1:]
    return bool(last) and (last.isalnum() or last in ")}]|")


def _bar_starts(text: str, at: int) -> list[int]:
    """Where that may begin what a bar stands behind: with all terms before it, or the last one."""
    depth, start, term = 0, 0, -1
    for place in range(at - 1, -1, -1):
        depth += (text[place] in _CLOSE) - (text[place] in _OPEN)
        if depth < 0:
            start = place + 1
            break
        if depth:
            continue
        if term < 0 and text[place] in "+-" and _ends_operand(text[max(0, place - 9) : place]):
            term = place + 1
        if text[place : place + 4] == "{Q_{":
            # Another bar ends here: only the last term is meant.
            start = term if term >= 0 else text.find("}}", place) + len("}}")
            break
    limit = list(_LIMIT_BEFORE.finditer(text, start, at))
    start = limit[-1].end() if limit else start
    return [start] if term <= start else [start, term]
