r"""A side of an equation as a tree, with integrals, derivatives and differentials.

The LaTeX reader reads closed forms only. Integrals, derivatives and the other
*operations* of a side are therefore cut out first, and symbols such as ``Q_1`` replace them:
``x e^x - \int e^x\,dx`` is read as ``x e^x - Q_1``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from ...errors import ProblemError
from ...reading.expression.build import ONE
from ...reading.expression.traversal import substitute, symbols_of
from ...reading.expression.tree import Expression, Symbol
from ...reading.latex import ReadError, Reading, read
from ...reading.latex.tokens.names import GREEK_VARIANTS, UNARY
from ...reading.problem import Limit, limit_of, limits_of
from ...reading.problem.derivatives import LETTER
from ...reading.problem.differential import D, differentials_in_order
from .extents import (
    NotReadError,
    bar_starts,
    depths,
    extent,
    leaves_out_terms,
    opening,
    operand,
    prepared,
    released,
    terms_with,
    varies_a_constant,
    with_primes,
)
from .operations import (
    Change,
    Derivative,
    Differential,
    Integral,
    LimitAt,
    Operation,
    Series,
    Side,
    Value,
)
from .substitution import slope_of

#: Readings of a side that are tried, symbols in place of operations, and characters.
READINGS, OPERATIONS, LONGEST = 3, 24, 4000


def read_sides(
    latex: str,
    names: Collection[str],
    functions: tuple[Mapping[str, str], Mapping[str, str]],
    variable: str,
    numbers: Iterator[int],
    *,
    course: bool = False,
) -> list[Side]:
    r"""Read a side of an equation. Return the readings of the side, the likeliest first.

    The list is empty if the side is unreadable.

    Args:
        latex: the LaTeX of the side.
        names: symbols of the problem and of the definitions in force.
        functions: two tables. Each maps the name of a function to the function's variable. The
            first table has the functions of the text (``F(x)``). The second has all names
            applicable to a number (``u(1)`` after u = x^2).
        variable: the variable of derivatives without a named variable (``F'``).
        numbers: yields a new number for the symbol of each operation, so that no two sides share a
            symbol.
        course: whether the problem is a question of the course. Then infinite sums are
            operations, and ``C(x)`` is no product.

    """
    left_out = leaves_out_terms(latex) or (course and varies_a_constant(latex))
    if len(latex) > LONGEST or left_out:
        return []
    text = prepared(latex)
    texts = [text]
    if course and latex.rstrip(" .,;").endswith("!") and not text.endswith("!"):
        texts = [f"{text}!", text]  # a factorial, or a sign of exclamation
    sides: list[Side] = []
    for text in texts:
        for choice in range(READINGS):
            reader = _SideReader(frozenset(names), choice, variable, functions[1], numbers, course)
            try:
                side = Side(reader.tree(reader.called(text, *functions)), reader.operations)
            except (NotReadError, ReadError, ProblemError, RecursionError):
                break
            sides.append(side)
            if not reader.ambiguous:
                break
    return sides


CALL = re.compile(
    r"(?P<name>(?:[A-Za-z]|\\(?:mu|rho|phi|varphi|psi|eta|xi))(?:_\w|_\{\w+\})?)'?\s*(?:\\left)?\(\s*\\?(?P<of>(?!pi|e\b)[A-Za-z]+)\s*(?:\\right)?\)"
)

#: ``u(1)``
AT = re.compile(r"(?P<name>\\?[A-Za-z]+)\s*(?:\\left)?\(\s*(?P<at>[^()]+?)\s*(?:\\right)?\)")
_INT = re.compile(r"(?:\\int(?![A-Za-z])|∫)\s*(?:\\(?:no)?limits(?![A-Za-z]))?\s*")
#: ``f(x)``; without a definition of f this is no product.
_FUNCTION_OF = re.compile(
    r"(?<![A-Za-z\\^_{])(?P<name>[fghuvwyFGHPQR])\s*(?:\\left)?\(\s*(?:[a-z]|\\theta)\s*(?:\\right)?\)"
)
#: ``f_{xy}`` after the text has said what f is.
_PARTIAL = re.compile(r"[fghuwzFGMNPQ]_[xyzt]{1,3}")
#: ``a_{n+1}`` after the text has said what ``a_n`` is. A letter may be a factor: ``nI_{n-1}``.
_TERM = re.compile(
    r"(?:(?<![A-Za-z\\])|(?<=[^A-Za-z\\][A-Za-z])|(?<=\A[A-Za-z]))([A-Za-z])\s*_\s*(?:\{([^{}]+)\}|(\d|[xyzt]))"
)
_SIZE = re.compile(r"\\(?:right|[bB]igg?r?)\s*\Z")
_ORDER = r"(?:\^\s*\{{?\s*(?P<{}>\d)\s*\}}?)?"
#: ``\frac{d}{dx}``, ``\frac{du}{dx}`` and ``\frac{d^2u}{dx^2}``
_OPERATOR = re.compile(
    rf"\\[dt]?frac\s*\{{\s*(?:{D}|(?P<partial>\\partial))\s*{_ORDER.format('top')}\s*(?P<of>{LETTER})?\s*\}}"
    rf"\s*\{{\s*(?:{D}|\\partial)\s*(?P<by>\\[A-Za-z]+|[A-Za-z])\s*{_ORDER.format('bottom')}\s*\}}\s*"
    rf"|(?<![A-Za-z]){D}\s?(?P<of2>[A-Za-z])\s?/\s?{D}\s?(?P<by2>[A-Za-z])(?![A-Za-z])\s*"
)
_PRIMES = r"(?:'+|\^\{?(?:\s*\\prime)+\s*\}?)"
_PRIME = re.compile(rf"(?:(?P<name>{LETTER})|(?P<group>\)|\]))\s*(?P<primes>{_PRIMES})")
#: The end of ``[F]_a^b`` and ``F \Big|_a^b``.
_AT = re.compile(
    r"(?P<size>\\right|\\[bB]igg?[lr]?)?\s*(?P<mark>\]|\||\\[rl]?vert(?![A-Za-z])"
    r"|\)(?=\s*_\s*(?:\{[^{}]*\}|\w)\s*\^))\s*(?=[_^])"
)
#: ``d(x^2)`` and ``d\ln x``: the differential of a function.
_OF_FUNCTION = re.compile(
    rf"{D}\s*(?:(?:\\left|\\[bB]igg?l?)?\s*(?P<group>[(\[])|(?=\\(?:sqrt|{'|'.join(UNARY)})(?![A-Za-z])))"
)
_LIMIT = re.compile(r"\\lim(?![A-Za-z])\s*(?:\\limits(?![A-Za-z]))?\s*(?=_)")
_TENDS = re.compile(
    r"\{\s*(?P<name>\\?[A-Za-z]+)\s*(?:\\(?:to|(?:long)?rightarrow)(?![A-Za-z])|→|->)\s*"
    r"(?P<point>.+?)\s*(?:\^\s*\{?\s*(?P<side>[+-])\s*\}?)?\s*\}",
    re.DOTALL,
)
INDEX = re.compile(r"\\(?:sum|prod)(?:\\limits)?\s*_\s*\{?\s*([a-z])\s*=")
_INFINITE_SUM = re.compile(
    r"\\sum(?![A-Za-z])\s*(?:\\limits\s*)?_\s*\{\s*(?P<index>[a-z])\s*(?:=|\\geq?(?![A-Za-z]))"
    r"\s*(?P<lower>-?\d+)\s*\}\s*\^\s*(?:\{\s*\+?\s*\\infty\s*\}|\\infty(?![A-Za-z]))"
)
_NAMED_LIMIT = re.compile(r"\{\s*(?P<name>\\?[A-Za-z]+)\s*[:=]\s*(?P<value>.*)\}$", re.DOTALL)


class _SideReader:
    """Reads a side of an equation. For an ambiguous side, ``choice`` selects the reading."""

    def __init__(
        self,
        names: frozenset[str],
        choice: int,
        variable: str,
        applied: Mapping[str, str],
        numbers: Iterator[int],
        course: bool,
    ) -> None:
        self.names, self.course = names, course
        self.choice = choice
        self.variable, self.applied = variable, applied
        self.numbers = numbers
        self.ambiguous = False
        self.operations: dict[str, Operation] = {}
        self.slopes: dict[str, Expression] = {}  # the derivatives in ``d(x^2)``, by symbols

    def tree(self, text: str) -> Expression:
        """Read a text as an expression. Integrals and other operations become symbols."""
        # Each of these searches takes longer than to look for a letter of what it looks for.
        if any(mark in text for mark in ("d", "'", "prime", "partial")) or not text.isascii():
            text = self._derivatives(text)
            text = self._differentials_of_functions(text) if "d" not in self.names else text
        if "|" in text or "]" in text or "vert" in text or (")" in text and "_" in text):
            text = self._changes(text)
        while signs := list(_INT.finditer(text)):
            text = self._integral(text, signs[-1])
        for mark in reversed(list(_LIMIT.finditer(text)) if "\\lim" in text else []):
            text = self._limiting(text, mark)
        for mark in reversed(list(_INFINITE_SUM.finditer(text))) if "sum" in text else ():
            text = self._series(text, mark)
        if "d" in text:
            for differential in reversed(list(differentials_in_order(text))):
                if "d" not in self.names:
                    symbol = self._add(Differential(differential.variable))
                    text = text[: differential.start] + symbol + text[differential.end :]
        return self._formula(text)

    def called(self, text: str, functions: Mapping[str, str], applied: Mapping[str, str]) -> str:
        """Replace ``F(x)`` in a text by ``F``, and ``F(2)`` by a symbol for the value."""
        names = "|".join(map(re.escape, applied))
        text = with_primes(text)
        mark = rf"(?<![A-Za-z\\^])\\?({names})('*)\s*(?:\\left|\\[bB]igg?l?)?\("
        calls = re.finditer(mark, text) if names else ()
        text = self._terms(text, applied)
        for call in _FUNCTION_OF.finditer(text):
            if not {call["name"], f"\\{call['name']}"} & {*self.names, *applied}:
                raise NotReadError("a function that nothing defines")
        applications = list(calls)
        if len(applications) > OPERATIONS:
            raise NotReadError("too many values of functions")
        for call in reversed(applications):
            depth, end = 1, call.end()
            while depth and end < len(text):
                depth += (text[end] == "(") - (text[end] == ")")
                end += 1
            argument = _SIZE.sub("", text[call.end() : end - 1]).strip()
            value = f" {call[0][: call.end(2) - call.start()]} "
            if symbol_name(argument) != applied[call[1]]:
                at = self.tree(argument)
                if call[1] not in functions and symbols_of(at):
                    continue  # a product: u(x + 1)
                value = self._add(Value(call[1], at, len(call[2])))
            text = text[: call.start()] + value + text[end:]
        return text

    def _terms(self, text: str, applied: Mapping[str, str]) -> str:
        """Replace terms such as ``a_{n+1}`` and derivatives such as ``f_{xy}`` by symbols."""
        for mark in reversed(list(_TERM.finditer(text))):
            index = (mark[2] or mark[3]).strip()
            lone = text.strip() == mark[0].strip()  # a_0 of a Fourier series has its own formula
            if not self.course and index == "0" and (lone or f"{mark[1]}_0" in self.names):
                continue
            for name, argument in applied.items():
                if name == f"{mark[1]}_{argument}" and index != argument:
                    value = self._add(Value(name, self.tree(index)))
                    text = text[: mark.start()] + value + text[mark.end() :]
                    break
            else:
                name = f"{mark[1]}_{index}"
                partial = self.course and _PARTIAL.fullmatch(name)  # of an integral, a moment: M_x
                if partial and mark[1] in self.names and name not in self.names:
                    of = mark[1]
                    for by in index:
                        symbol = self._derivative(Symbol(of), by, partial=True)
                        of = symbol.strip(" {}").replace("{", "")
                    text = text[: mark.start()] + symbol + text[mark.end() :]
        return text

    def _limiting(self, text: str, mark: re.Match[str]) -> str:
        """Replace a limit with operand in a text by a symbol. ``mark`` is the limit sign."""
        marks, text_behind = limits_of(text[mark.end() :])
        tends = _TENDS.fullmatch(marks["_"])
        if tends is None:
            raise NotReadError("a limit at no point")
        name = symbol_name(tends["name"])
        readings = terms_with(text_behind, name)[: 1 if self.course else None]
        self.ambiguous |= len(readings) > self.choice + 1
        body, tail = readings[min(self.choice, len(readings) - 1)]
        side = {"+": 1, "-": -1, None: 0}[tends["side"]]
        point = self._limit(tends["point"], name)
        return (
            text[: mark.start()] + self._add(LimitAt(self._formula(body), name, point, side)) + tail
        )

    def _series(self, text: str, mark: re.Match[str]) -> str:
        """Replace an infinite sum in a text by a symbol. The rest of the term is the summand."""
        body, tail = operand(text[mark.end() :], grouped=False)
        index = mark["index"]
        names, self.names = self.names, self.names | {index}
        series = Series(self._formula(body), index, self._formula(mark["lower"]))
        self.names = names
        return text[: mark.start()] + self._add(series) + tail

    def _formula(self, text: str) -> Expression:
        bound = INDEX.findall(text) if "\\sum" in text or "\\prod" in text else []
        if any(
            bound and not _symbols_within(operation).isdisjoint(bound)
            for operation in self.operations.values()
        ):
            raise NotReadError("a sum of integrals")
        readings: tuple[Reading, ...] = read(
            text, symbols={*self.names, *self.operations, *self.slopes}
        )
        self.ambiguous |= len(readings) > self.choice + 1
        tree = readings[min(self.choice, len(readings) - 1)].expression
        for name in self.slopes.keys() & symbols_of(tree):
            tree = substitute(tree, name, self.slopes[name])
        return tree

    def _add(self, meaning: Operation | Expression) -> str:
        if len(self.operations) + len(self.slopes) == OPERATIONS:
            raise NotReadError("too many integrals")
        name = f"Q_{next(self.numbers)}"
        if isinstance(meaning, Operation):
            self.operations[name] = meaning
        else:
            self.slopes[name] = meaning
        return f" {{Q_{{{name[2:]}}}}} "

    def _differentials_of_functions(self, text: str) -> str:
        """Replace the differential of a function by an expression, as ``d(x^2)`` by ``2x dx``."""
        for mark in reversed(list(_OF_FUNCTION.finditer(text))):
            begin = mark.start("group") if mark["group"] else mark.end()
            argument, tail = operand(text[begin:], grouped=mark["group"] is not None)
            of = self.tree(_SIZE.sub("", argument[1:-1]) if mark["group"] else argument)
            by, symbols = self._varying(of), symbols_of(of)
            if by not in symbols or symbols & (self.applied.keys() | self.operations.keys()) - {by}:
                raise NotReadError("the differential of several variables")
            slope = slope_of(of, by)
            name = by if len(by) == 1 or "_" in by else f"\\{by}"
            text = f"{text[: mark.start()]}{self._add(slope)}\\,d{name} {tail}"
        return text

    def _integral(self, text: str, sign: re.Match[str]) -> str:
        """Replace the last integral in a text by a symbol."""
        marks, body = limits_of(text[sign.end() :])
        body = released(body)
        differential = next(differentials_in_order(body), None)
        if differential is None:
            (integrand, tail), variable = self._bare(body), ""
        else:
            integrand, variable, tail = extent(body, differential)
        if "d" not in self.names and any(differentials_in_order(integrand)):
            raise NotReadError("two differentials")
        tree = self._formula(integrand) if integrand.strip() else ONE
        variable = variable or self._varying(tree)
        limits: tuple[Limit, Limit] | None = None
        if marks:
            if "_" not in marks or "^" not in marks:
                raise NotReadError("an integral with one limit")
            limits = self._limit(marks["_"], variable), self._limit(marks["^"], variable)
        return text[: sign.start()] + self._add(Integral(tree, variable, limits)) + tail

    def _bare(self, text: str) -> tuple[str, str]:
        """Split the text of an integral without a differential into the integrand and the rest.

        In the first reading, the integrand is a single term. In another reading, the integrand has
        all terms up to a closing bracket.
        """
        readings = [operand(text, grouped=False)]
        end = next((at for at, depth in depths(text) if depth < 0), len(text))
        further_terms = text[len(readings[0][0]) : end]
        if further_terms and "Q_" not in further_terms:  # another integral begins a term of its own
            readings.append((text[:end], text[end:]))
        self.ambiguous |= len(readings) > self.choice + 1
        integrand, tail = readings[min(self.choice, len(readings) - 1)]
        if not integrand.strip():
            raise NotReadError("an integral of nothing")
        return integrand, tail

    def _varying(self, tree: Expression) -> str:
        """The only possible variable of an integral without a differential."""
        symbols = symbols_of(tree)
        if not symbols or self.variable in symbols:
            return self.variable
        if len(symbols) > 1 or not symbols <= self.names:
            raise NotReadError("an integral without a differential")
        return next(iter(symbols))

    def _limit(self, mark: str, variable: str) -> Limit:
        limit = limit_of(mark, mark, variable)
        if not isinstance(limit, int) and symbols_of(limit) & self.operations.keys():
            raise NotReadError("an integral in a limit")
        return limit

    def _derivatives(self, text: str) -> str:
        # The last operator is the innermost.
        for _ in range(OPERATIONS):
            operators = list(_OPERATOR.finditer(text))
            if not operators:
                break
            mark = operators[-1]
            by = symbol_name(mark["by"] or mark["by2"])
            of = mark["of"] or mark["of2"]
            orders = mark["top"] or "1", mark["bottom"] or "1"
            if orders[0] != orders[1]:
                raise NotReadError("a derivative of two orders")
            if of:
                tail = text[mark.end() :]
                inner: Expression = Symbol(symbol_name(of))
            else:
                operand_text, tail = operand(text[mark.end() :])
                inner = self.tree(operand_text)
            symbol = self._derivative(
                inner, by, int(orders[0]), partial=mark["partial"] is not None
            )
            text = text[: mark.start()] + symbol + tail
        while prime := _PRIME.search(text):
            start = prime.start()
            name = symbol_name(prime["name"] or "")
            if prime["name"]:
                of_prime: Expression = Symbol(name)
            else:
                start = opening(text, start)
                of_prime = self.tree(text[start + 1 : prime.start()].removesuffix("\\right"))
                start -= 5 if text[:start].endswith("\\left") else 0
            order = prime["primes"].count("'") or prime["primes"].count("prime")
            symbol = self._derivative(of_prime, self.applied.get(name, self.variable), order)
            text = text[:start] + symbol + text[prime.end() :]
        return text

    def _derivative(self, of: Expression, by: str, order: int = 1, *, partial: bool = False) -> str:
        """The symbol for a derivative. A second derivative is stored as two nested derivatives."""
        symbol = ""
        for _ in range(order):
            symbol = self._add(Derivative(of, by, partial))
            of = Symbol(symbol.strip(" {}").replace("{", ""))
        return symbol

    def _changed(self, text: str, mark: re.Match[str]) -> tuple[int, str]:
        """Find the index at which ``[F]_a^b`` begins, and the text of F.

        ``F|_a^b`` has no opening bracket. F may then begin at several indices.
        """
        at = mark.start("mark")
        if mark["mark"] in "])":
            start = opening(text, at)
            inner = text[start + 1 : mark.start()]
            size = re.search(r"\\(?:left|[bB]igg?l?)\s*$", text[:start])
            group_start = size.start() if size else start
            if mark["mark"] == ")" and text[:group_start].rstrip()[-1:].isalpha():
                raise NotReadError("limits behind the argument of a function")
            return group_start, inner
        opened_at = text.rfind("\\left.", 0, at)
        if mark["size"] == "\\right" and opened_at >= 0:
            return opened_at, text[opened_at + 6 : mark.start()]
        starts = bar_starts(text, mark.start())
        self.ambiguous |= len(starts) > self.choice + 1
        start = starts[min(self.choice, len(starts) - 1)]
        return start, text[start : mark.start()]

    def _changes(self, text: str) -> str:
        for _ in range(OPERATIONS):
            mark = _AT.search(text)
            if mark is None:
                break
            marks, tail = limits_of(text[mark.end() :])
            if "_" not in marks and mark["mark"] == "]":  # [..]^2 is a power
                at, begin = mark.start("mark"), opening(text, mark.start("mark"))
                text = f"{text[:begin]}({text[begin + 1 : at]}){text[at + 1 :]}"
                continue
            if "_" not in marks or "^" not in marks:
                raise NotReadError("a value at one place")
            start, inner = self._changed(text, mark)
            named = _NAMED_LIMIT.fullmatch(marks["_"])
            variable = symbol_name(named["name"]) if named else None
            ends = [marks[script].replace(":", "=", 1) for script in "_^"]
            limits = [self._limit(end, variable or "") for end in ends]
            change = Change(self.tree(inner), variable, (limits[0], limits[1]))
            text = text[:start] + self._add(change) + tail
        return text


def _symbols_within(operation: Operation) -> frozenset[str] | set[str]:
    match operation:
        case Integral(tree) | Derivative(tree) | Change(tree) | LimitAt(tree) | Series(tree):
            return symbols_of(tree)
        case Value(_, tree):
            return symbols_of(tree)
        case Differential(variable):
            return {variable}


def symbol_name(letter: str) -> str:
    r"""The name of a letter in expressions, such as ``theta`` for ``\theta``."""
    name = letter.lstrip("\\").replace("{", "").replace("}", "")
    return GREEK_VARIANTS.get(name, name)
