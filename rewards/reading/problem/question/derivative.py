r"""Finds the functions, the point and the derivative in a question of many words.

A formula with a derivative is asked for, or the derivative of the formula behind words such as
"derivative of". Other equations define functions and points. The rest are domains and names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from ....errors import ProblemError
from ..clauses import Clause, clauses
from ..conditions import NAME, Conditions, conditions_of
from ..derivatives import SYMBOL, name_of
from ..layout import coordinates, relation
from ..prose import (
    ORDINALS,
    foreign_phrases,
    foreign_words,
    unspaced_words,
    without_asides,
    without_frame,
)
from .integral import MAPPED
from .mentions import divided, mentioned
from .parts import put_back, without_statements
from .pieces import ASKS, NUMBER, VALUE, has_derivative, pieces
from .requests import check_requests
from .surroundings import asks_values, changes_numbers

#: The words of the clauses: a derivative that is asked for, a point, the variable.
DERIVATIVE, AT, RESPECT = ("derivative",), ("at",), ("respect",)
#: The orders of derivatives by their words.
_ORDERS: Final = ORDINALS | {
    word: order
    for order, role in enumerate(("first", "second", "third"), 1)
    for word in (*foreign_words(role), *unspaced_words(role).pattern.split("|"))
}
#: What asks for a derivative, perhaps of the function that the question has named, and its order.
_DERIVATIVE: Final = re.compile(
    rf"(?:\b(?P<its>its|the|their)\s+)?(?:(?P<order>{'|'.join(_ORDERS)})(?:[-\s]order)?\s*)?"
    r"(?:\b\w+\s+)?(?:\b(?:derivative|rate\s+of\s+change|derived\s+function|differential\s+coefficient|gradient|slope"
    rf"|differentiat(?:e|ing))|{foreign_phrases('derived')}|{unspaced_words('derived').pattern})"
    rf"(?:\s+(?P<behind>{'|'.join(_ORDERS)}))?",
    re.IGNORECASE,
)
#: The derivative stands behind the function in languages without spaces: 求函数 f(x) 的导数.
_BEHIND: Final = unspaced_words("derived")
#: Words that change nothing: the slope of a tangent is the slope of the curve.
_PHRASES: Final = re.compile(
    r"\bhow\s+fast\b|(?:(?<=slope)|(?<=gradient))\s+of\s+(?:the|a|its)\s+tangent\b(?:\s+line\b)?",
    re.IGNORECASE,
)
#: Behind these words, a formula is the derivative of another function.
_HAS: Final = (["derivative", "is"], ["gradient", "is"], ["slope", "is"], ["has", "derivative"])
#: Behind these words, a derivative is to be differentiated.
_OF_DERIVATIVE: Final = (["change", "of"], ["derivative", "of"])
#: The order of a derivative as a number or a letter, which is not read here.
_NUMBERED: Final = re.compile(
    r"(?:\d|\$|\b[kmn])-?\s*th\s+(?:order\s+)?derivative|\d(?:st|nd|rd|th)\b"
    r"|(?:change|derivative|gradient|slope)\s+of\s+(?:its|the)\s+(?:derivative|gradient|rate|slope)"
)
#: The order of a derivative as a number, and the words for such orders: 10th derivative.
_NUMBERED_ORDER: Final = re.compile(
    r"\b([1-9]|1[0-2])(?:st|nd|rd|th)(?=(?:[-\s]order)?\s+(?:partial\s+)?derivative\b)"
)
#: A variable that only words name: "with respect to the second variable".
_RESPECT: Final = re.compile(r"\brespect\s+to\s+(?:[\w'-]+\s+){0,2}\Z", re.IGNORECASE)
_BY_WORDS: Final = re.compile(r"\brespect\s+to\s++(?!(?:[\w'-]+\s+){0,2}\ue012)")
_NAMES: Final = {order: word for word, order in ORDINALS.items()}
#: A formula that is computed of others, such as a root, and is no equation.
_COMPUTED: Final = re.compile(
    r"\A(?!.*[=']).*(?:[-+*^]|\\(?:[dt]?frac|sqrt)(?![A-Za-z]))", re.DOTALL
)
#: A function that may have no formula; another letter before parentheses is a factor.
_UNKNOWN: Final = re.compile(r"(?<![A-Za-z\\])([fghFGH])\s*\(")
#: y = y(x)
_OF_ITSELF: Final = re.compile(r"\s*([A-Za-z])\s*=\s*\1\s*\([^()]*\)\s*")
#: A derivative by a function: \frac{d(\sin x)}{d(\cos x)}, \frac{d\ln Q}{d\ln P}.
_BY_FUNCTION: Final = re.compile(
    r"\\frac\s*\{\s*d\s*(?P<of>[^{}]*[^\s{}][^{}]*)\}\s*\{\s*d\s*(?P<by>[^{}]*\\[a-z]+[^{}]*)\}"
)


def question_of_derivative(text: str) -> tuple[list[Clause], Conditions]:
    r"""Cut a question for a derivative into clauses, and read the conditions.

    The words of a clause are `DERIVATIVE`, `AT` or `RESPECT`, or empty for another formula.

    Raises:
        ProblemError: words may change the question.

    >>> found, _ = question_of_derivative("Its speed is $v=t^2$. Find $dv/dt$ at $t=3$.")
    >>> [clause.formula for clause in found]
    ['v=t^2', 'dv/dt', 't=3']

    """
    text = _NUMBERED_ORDER.sub(lambda match: _NAMES[int(match[1])], text)
    question_parts = divided(text)
    if question_parts is None:
        return clauses(without_frame(text)), Conditions()
    question_parts = _PHRASES.sub(" ", question_parts[0]), question_parts[1]
    marked_prose, conditions = without_statements(*question_parts)
    marked_prose = without_asides(marked_prose)
    if changes_numbers(marked_prose) or asks_values(*question_parts) or _NUMBERED.search(text):
        raise ProblemError("words may change the question")
    if _BY_WORDS.search(marked_prose):
        raise ProblemError("with respect to which letter?")
    formulas = [MAPPED.sub("", formula) for formula in question_parts[1]]
    collected = _DerivativeFormulas(marked_prose)
    mentions = [
        (piece, relation(piece), preceding_text)
        for piece, preceding_text in mentioned(marked_prose, formulas)
    ]
    # All definitions are known first, as "the derivative of f" may precede the formula of f.
    for _, sides, _ in mentions:
        if sides is not None and not (NAME.fullmatch(sides[0]) and NUMBER.fullmatch(sides[1])):
            collected.defined.setdefault(sides[0].partition("(")[0].strip(), sides[1])
    follows_variable = False  # with respect to x, and then y
    for piece, sides, preceding_text in mentions:
        sentence = re.split(r"[.?!;]\s", preceding_text)[-1]
        asks = (_DERIVATIVE.search(sentence) or _BEHIND.search(marked_prose)) is not None
        words_before = preceding_text.rpartition("\ue012")[2]
        words = words_before.replace(",", " ").lower().split()
        follows_variable &= {*words} <= {"and", "then"} and sides is None
        follows_variable |= _RESPECT.search(words_before) is not None
        if follows_variable:
            if collected.by not in ("", piece):
                raise ProblemError(f"derivatives with respect to {collected.by} and {piece}")
            collected.by = piece
        elif sides is not None:
            collected.take_relation(piece, sides, words_before, asks=asks)
        else:
            collected.take_formula(piece, words_before, asks=asks)
    _check(marked_prose, formulas, collected.defined)
    return collected.clauses(), conditions.also(collected.conditions)


@dataclass(slots=True)
class _DerivativeFormulas:
    """The formulas of a question.

    ``definitions`` and ``points`` are clauses. ``derivatives`` has the derivatives in
    formulas, and ``named`` the equations of a name with a derivative. ``defined`` has the right
    sides of equations by the names on the left sides. ``function`` is the formula behind words
    such as "derivative of", and ``by`` the formula behind "respect to".
    """

    marked_prose: str
    definitions: list[Clause] = field(default_factory=list)
    points: list[Clause] = field(default_factory=list)
    derivatives: list[str] = field(default_factory=list)
    named: list[tuple[str, str]] = field(default_factory=list)
    defined: dict[str, str] = field(default_factory=dict)
    conditions: Conditions = field(default_factory=Conditions)
    function: str = ""
    by: str = ""

    def take_formula(self, piece: str, words_before: str, *, asks: bool) -> None:
        """Take a formula without an equals sign.

        Args:
            piece: the formula.
            words_before: the words between the preceding formula and the formula.
            asks: whether the sentence asks for a derivative.

        Raises:
            ProblemError: the formula may be asked for, or is a point that is not understood.

        """
        value = VALUE.fullmatch(piece)
        name = value["name"] if value and not NUMBER.fullmatch(value["at"]) else piece
        if has_derivative(piece) or self._is_partial(piece) or _BY_FUNCTION.search(piece):
            self.derivatives.append(piece)
        elif (conditions := conditions_of(piece)) is not None:
            self.conditions = self.conditions.also(conditions)
        elif piece.startswith("(") and re.search(r"\b(?:at|point)\b", words_before):
            if NUMBER.fullmatch(piece.strip("() ").replace(",", " ")):
                self.points.append(Clause(AT, piece))
            elif not all(re.fullmatch("[a-z]", coordinate) for coordinate in coordinates(piece)):
                raise ProblemError(f"the derivative at {piece}?")
        elif NUMBER.fullmatch(piece) and piece.strip() and (self.function or not asks):
            raise ProblemError(f"what is {piece!r}?")
        elif asks and (name in self.defined or not NAME.fullmatch(piece)):
            body = name if name in self.defined else piece
            if self.function not in ("", body) or words_before.lower().split()[-2:] in _HAS:
                raise ProblemError(f"what is {piece!r}?")
            self.function = body

    def _is_partial(self, piece: str) -> bool:
        """Whether a formula is a partial derivative of a defined function, such as f_{xy}(x, y)."""
        match = re.match(r"([A-Za-z])_\{?[a-z ]{1,5}\}?", piece)
        return match is not None and match[1] in self.defined

    def take_relation(
        self, piece: str, sides: tuple[str, str], words_before: str, *, asks: bool
    ) -> None:
        """Take a formula with an equals sign.

        Args:
            piece: the formula.
            sides: the sides of the formula.
            words_before: the words between the preceding formula and the formula.
            asks: whether the sentence asks for a derivative.

        Raises:
            ProblemError: the formula is the value of a derivative.

        """
        lhs, rhs = sides
        name = lhs.partition("(")[0].strip()
        value = VALUE.fullmatch(lhs)
        if has_derivative(rhs) and NAME.fullmatch(name):
            self.named.append((piece, rhs))
        elif has_derivative(lhs):
            if rhs.strip(" ?."):
                raise ProblemError(f"{piece!r} is not used")
            self.derivatives.append(lhs)
        elif NAME.fullmatch(lhs) and (NUMBER.fullmatch(rhs) or re.search(r"\bat\b", words_before)):
            self.points.append(Clause(AT, piece))
        elif not _OF_ITSELF.fullmatch(piece) and not (
            value is not None and NUMBER.fullmatch(value["at"])  # f(0) = 0 beside a formula of f
        ):
            self.definitions.append(Clause((), piece))
            if asks and NAME.fullmatch(name):
                self.function = self.function or name

    def clauses(self) -> list[Clause]:
        """The definitions, the derivative, and the point."""
        # A derivative as a formula counts more than the name of a derivative, such as v = dx/dt,
        # and a name counts more than words.
        derivatives = [*dict.fromkeys(map(_by_function, self.derivatives))]
        if derivatives:
            self.definitions += [Clause((), piece) for piece, _ in self.named]
        derivatives = derivatives or [*dict.fromkeys(right for _, right in self.named)]
        by = [Clause(RESPECT, self.by)] if derivatives and self.by else []
        if len(derivatives) > 1 or (by and NAME.fullmatch(self.by) is None):
            raise ProblemError(f"several derivatives: {', '.join((*derivatives, self.by))}")
        derivatives = derivatives or self._from_words()
        return [
            *self.definitions,
            *by,
            *(Clause(DERIVATIVE, derivative) for derivative in derivatives),
            *self.points,
        ]

    def _from_words(self) -> list[str]:
        """The derivative that words ask for."""
        names, body = [*self.defined], self.function
        requests = [*_DERIVATIVE.finditer(self.marked_prose)]
        words = (word for request in requests for word in request.group("order", "behind"))
        orders = {_ORDERS[word.lower()] for word in words if word}
        order = min(orders, default=1)
        spoken = self.marked_prose.lower()
        if len(orders) > 1 or "derivatives" in spoken or "at the origin" in spoken:
            raise ProblemError("several derivatives, or a derivative at a point")
        # The slope of a curve is dy/dx, also of an implicit curve. The gradient of a function of
        # several variables is a vector.
        if "gradient" in spoken or "slope" in spoken:
            is_curve = names != [body] or NAME.fullmatch(body) is None or body == "r"
            if self.definitions and is_curve and (body in names or not body):
                return [r"\frac{dy}{dx}"]
            used = {*SYMBOL.findall(self.defined.get(body, body))}
            if len({"x", "y", "z"} & used - {body}) > 1:
                raise ProblemError("a gradient of a function of several variables is not read")
        if (
            not body
            and len(names) == 1
            and NAME.fullmatch(names[0])
            and any(request["its"] for request in requests)
        ):
            body = names[0]
        if not body:
            return []
        if (unknown := _UNKNOWN.search(body)) and unknown[1] not in self.defined:
            raise ProblemError(f"what is the function {unknown[1]}?")
        if self.by and NAME.fullmatch(self.by) is None:
            return [_quotient(body, self.by)] if order == 1 else []
        if NAME.fullmatch(body) and not self.by:
            return [body + "'" * order]
        letters = {name_of(letter) for letter in SYMBOL.findall(body) if len(letter) == 1} - {"e"}
        x = self.by or (letters.pop() if len(letters) == 1 else "x")
        power = f"^{{{order}}}" if order > 1 else ""
        if NAME.fullmatch(body):
            return [rf"\frac{{d{power} {body}}}{{d{x}{power}}}"]
        return [rf"\frac{{d{power}}}{{d{x}{power}}}({body})"]


def _by_function(piece: str) -> str:
    """Write a derivative by a function as a quotient of two derivatives."""
    match = _BY_FUNCTION.search(piece)
    if match is None:
        return piece
    return piece[: match.start()] + _quotient(match["of"], match["by"]) + piece[match.end() :]


def _quotient(of: str, by: str) -> str:
    names = {name_of(letter) for letter in SYMBOL.findall(by) if len(letter) == 1} - {"e"}
    if len(names) != 1:
        raise ProblemError(f"with respect to {by!r}?")
    x = names.pop()
    return rf"\frac{{\frac{{d}}{{d{x}}}({of})}}{{\frac{{d}}{{d{x}}}({by})}}"


def _check(marked_prose: str, formulas: list[str], defined: dict[str, str]) -> None:
    """Raise an error if something else than a derivative is asked for."""
    check_requests(marked_prose, formulas, "derivative")
    for asks in ASKS.finditer(marked_prose):
        if asks["place"] is not None:
            words, formula = asks["words"].lower().split(), formulas[int(asks["place"])]
            is_derivative = any(map(has_derivative, pieces(formula)))
            is_value = {"of", "value"} <= {*words} and "respect" not in words
            is_other = (
                (is_value and NAME.fullmatch(formula) and formula not in defined)
                or (is_derivative and words[-2:] in _OF_DERIVATIVE)
                or (not words and not is_derivative and _COMPUTED.search(formula))
            )
            if is_other:
                raise ProblemError(
                    f"{put_back(asks[0], formulas, '$')!r} may ask for something else"
                )
