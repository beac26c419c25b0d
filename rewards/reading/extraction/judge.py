"""Judges a statement as an answer, a definition, a condition, a check, a lone constant.

A statement is a chain ``a = b = c``. The sides a, b and c are called links, and the first link is
called the root.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import Literal, NamedTuple

from .boxes import LONGEST
from .clean import clean
from .statements import Chain
from .words.tables import patterns

#: Only this many different links of a chain are kept beside its last, because each is judged as an
#: answer: the longest chain of `responses.json` has five.
_MOST_STEPS = 32
#: Longer links are no name or constant; ``\operatorname{C}_{\text{const}}`` has 31 characters.
_LONGEST_CONSTANT = 40


class Kind(IntEnum):
    """The kind of a chain of equations. A chain of a higher kind is more likely to be an answer."""

    NO_ANSWER = 0  # a lone constant, a definition, a condition, a check, an integral
    LONE = 1  # a single symbol or number: an answer only if it is called one
    IDENTITY = 2  # an equation of two expressions
    PLAIN = 3  # an expression
    STRONG = 4  # ends in "+ C", or begins with "\int f dx =" or "F(x) ="


class JudgedChain(NamedTuple):
    """A chain of equations with its kind.

    ``answer`` is the last side of the chain, and ``reason`` says why a chain is not an answer.
    ``unsolved`` is the name of the answer if the chain is an equation for the name, as 2I = pi.
    """

    answer: str
    kind: Kind
    reason: str = ""
    links: int = 1
    has_constant: bool = False
    steps: tuple[str, ...] = ()  # the links before the answer, if they are expressions, too
    valued: bool = False  # a name has a number for its value
    unsolved: str = ""


#: What a question asks for.
Asks = Literal["antiderivative", "derivative", "derivative at a point", "interval", "value"]


class ExtractionGoal(NamedTuple):
    """The requested quantity, and the possible symbols of an answer.

    Attributes:
        symbols: the possible names in an answer, if known. A formula with letters but
            without a known name counts as an explanation.
        asks: the requested quantity. Only a derivative may be called one, and is no check of
            the answer. In a value, all symbols are parameters. Any other answer counts as an
            antiderivative.

    """

    symbols: Collection[str] = ()
    asks: Asks = "antiderivative"

    @property
    def asks_value(self) -> bool:
        """Whether the answer has no variable."""
        return self.asks in ("derivative at a point", "value")

    @property
    def asks_derivative(self) -> bool:
        """Whether the answer is a derivative."""
        return self.asks.startswith("derivative")

    def judge(self, chain: Chain, root: str | None = None) -> JudgedChain:
        """Judge a statement as an answer to the question."""
        if self.asks_value:
            statement = _judge_value(chain, root, self.symbols)
        else:
            statement = judge(chain, root)
        if self.asks != "interval" and statement.kind and _is_interval(statement.answer):
            return statement._replace(kind=Kind.NO_ANSWER, reason="an interval")
        return statement

    def is_foreign(self, latex: str) -> bool:
        """Whether a formula is about something else, by its symbols."""
        return bool(self.symbols) and not self.asks_value and _is_foreign(latex, self.symbols)


def judge(chain: Chain, root: str | None = None) -> JudgedChain:
    """Classify a chain of equations.

    Args:
        chain: the chain.
        root: the first side of the earlier chain that this chain continues, or None.

    """
    links = _closed(chain.links)
    answer = clean(links[-1])
    count = 1
    if len(links) > 1:
        if root is None:
            root = links[0]
        count = sum(map(bool, map(str.strip, links)))
    about_integral = bool(root) and has_integral(root or "")
    definite = about_integral and patterns.definite.search(root or "") is not None
    root = clean(root) if root and not about_integral else ""
    steps: tuple[str, ...] = ()
    if count > 1:
        earlier = dict.fromkeys(links[1 if patterns.name.fullmatch(root) else 0 : -1])
        steps = tuple(filter(None, map(clean, list(earlier)[-_MOST_STEPS:])))
    reason = _refusal(answer, root, about_integral, chain.bound)
    name = unsolved(root) if root else ""
    if root and patterns.value_at.fullmatch(root):
        reason = reason or "a value at a point"
    named = bool(root) and patterns.answer_name.fullmatch(root) is not None
    small = len(answer) < _LONGEST_CONSTANT and (
        patterns.small_number.fullmatch(answer) is not None
        or patterns.name.fullmatch(answer) is not None
    )
    if root and small and not named:
        reason = reason or "a value"
    if reason:
        return JudgedChain(answer, Kind.NO_ANSWER, reason, count, steps=steps, unsolved=name)
    plus = has_constant(answer)
    if root:
        statement_kind = Kind.STRONG if plus or (named and not small) else Kind.IDENTITY
    elif plus or about_integral:
        unfinished = definite or has_integral(answer)
        statement_kind = Kind.IDENTITY if unfinished and not plus else Kind.STRONG
    elif small or has_integral(answer):
        statement_kind = Kind.LONE
    else:
        statement_kind = Kind.PLAIN
    valued = bool(root) and patterns.variable.search(patterns.command.sub(" ", answer)) is None
    return JudgedChain(answer, statement_kind, "", count, plus, steps, valued, name)


def _closed(links: list[str]) -> list[str]:
    """Leave out a series or decimal that breaks off, behind the closed form."""
    breaks_off = [patterns.ellipsis.search(link) is not None for link in links[-2:]]
    return links[:-1] if breaks_off == [False, True] else links


def unsolved(root: str) -> str:
    r"""The name of the answer in the left side of an equation, unless the side is the name.

    ``2I = \pi`` and ``\ln F(x) = x`` do not state the value of I or F(x). The name is empty for
    other sides, such as ``I``, ``F(x) + C``, ``F(b) - F(a)`` and a value at a point.
    """
    root = patterns.evaluated.sub(r"\g<value>", root).strip()
    name_match = patterns.answer_inside.search(root)
    if name_match is None or patterns.answer_name.fullmatch(root) or has_constant(root):
        return ""
    name = name_match["name"]
    return "" if root.count(f"{name}(") > 1 or patterns.value_name.fullmatch(root) else name


def _refusal(answer: str, root: str, about_integral: bool, bound: bool) -> str:
    """The reason why a chain of equations is not an answer, or an empty text.

    ``root`` is the first side of the chain, and ``answer`` is the last side.
    """
    if bound:
        return "a condition"
    if not answer or not patterns.letter_or_digit.search(answer):
        return "nothing on the right of the last ="
    if len(answer) > LONGEST:
        return "too long"
    if is_constant(answer):
        return "a lone constant"
    if len(answer) < _LONGEST_CONSTANT and (
        patterns.mere_name.fullmatch(answer) or patterns.lone_command.fullmatch(answer)
    ):
        return "a name"
    if root:
        if patterns.constant.fullmatch(root):
            return "a definition of the constant"
        if _differentiates(root):
            return "a derivative"
        if root[0] in "d\\" and patterns.differential.fullmatch(root):
            return "a differential"
        if (
            patterns.name.fullmatch(root)
            and not patterns.answer_name.fullmatch(root)
            and not has_constant(answer)
        ):
            return "a definition"
    if not about_integral and _differentiates(answer) and not has_constant(answer):
        return "a derivative"
    # A differential stands at the end: \,\mathrm{d}\theta and a full stop take 24 characters.
    if "d" in answer[-24:] and patterns.differential.search(answer[-24:]):
        # Part of an integral, or else a differential.
        where = patterns.integral.search(answer)
        if where is None:
            return "a differential"
        if {"+", "-"}.isdisjoint(answer[1 : where.start()]) and not has_constant(answer):
            return "an integral, not evaluated"
    return ""


def _judge_value(chain: Chain, root: str | None, parameters: Collection[str]) -> JudgedChain:
    """Classify a chain of equations if the question asks for a value.

    A value is free of variables, such as the limit of a function or the sum of a series. Only
    the parameters of the problem may stand in a value.

    Args:
        chain: the chain.
        root: as for `judge`.
        parameters: the names of the parameters.

    """
    closed = _closed(chain.links)
    statement = judge(Chain(closed[-1:], bound=chain.bound))
    answer, reason = statement.answer, statement.reason
    links = [link for link in map(clean, closed) if link]
    root = clean(chain.links[0] if root is None else root) if len(chain.links) > 1 else ""
    if not reason:
        if not is_value(answer, parameters):
            reason = "no value"
        elif patterns.indeterminate.fullmatch(answer):
            reason = "an indeterminate form"
        elif patterns.name.fullmatch(root) and not patterns.value_name.fullmatch(root):
            # "u = 2" defines a symbol, and "n -> 0" is a condition; "a_n -> 0" states a limit.
            reason = "" if chain.tends and len(root) > 1 else "a definition"
    steps = tuple(dict.fromkeys(links[:-1]))[-_MOST_STEPS:]
    if reason:
        return JudgedChain(answer, Kind.NO_ANSWER, reason, len(links), steps=steps)
    if patterns.asked_operator.search(root) or patterns.value_name.fullmatch(root):
        value_kind = Kind.STRONG
    else:
        # The left side of "= 2" is the question.
        value_kind = Kind.PLAIN if len(chain.links) > 1 or chain.tends else statement.kind
    plus, name = statement.has_constant, unsolved(root)
    return JudgedChain(answer, value_kind, "", len(links), plus, steps, unsolved=name)


def is_value(latex: str, parameters: Collection[str]) -> bool:
    """Whether a formula has only parameters and named constants as symbols."""
    letters = {name.partition("_")[0] for name in parameters}  # a of a_1
    return all(
        symbol[0].lstrip("\\") in letters for symbol in patterns.value_symbol.finditer(latex)
    )


def _is_interval(latex: str) -> bool:
    r"""Whether a formula is an interval between two numbers, such as ``[0, \infty)``."""
    return "," in latex and patterns.interval.fullmatch(latex) is not None and is_value(latex, ())


def definition(chain: Chain) -> tuple[str, str] | None:
    r"""Read a definition such as ``u = \ln x``. Return the symbol and the value.

    If the chain is not a definition, the result is None.
    """
    if len(chain.links) != 2 or chain.bound or chain.approximate:
        return None
    name, value = map(clean, chain.links)
    plain = patterns.defined_symbol.fullmatch(name)
    return (name, value) if plain and value else None


def defines(root: str) -> bool:
    """Whether an equation whose left side is ``root`` defines a symbol or a differential."""
    root = clean(root)
    return len(root) < _LONGEST_CONSTANT and (
        (patterns.name.fullmatch(root) is not None and not patterns.answer_name.fullmatch(root))
        or patterns.differential.fullmatch(root) is not None
    )


def _is_foreign(latex: str, symbols: Collection[str]) -> bool:
    """Whether a formula has letters, but no name of the problem."""
    plain = patterns.command.sub(" ", latex)
    for name in symbols:
        if (name in plain) if len(name) == 1 else (name[:1] in plain or f"\\{name}" in latex):
            return False
    return patterns.foreign_letter.search(latex) is not None


def has_constant(latex: str) -> bool:
    """Whether the formula adds a constant of integration."""
    return patterns.plus_constant.search(latex) is not None or (
        latex[0] in "CKck\\" and patterns.constant_plus.match(latex) is not None
    )


def is_constant(latex: str) -> bool:
    """Whether a formula is only a constant of integration."""
    return len(latex) < _LONGEST_CONSTANT and patterns.constant.fullmatch(latex) is not None


def has_integral(latex: str) -> bool:
    """Whether the formula has an integral sign."""
    return "int" in latex and patterns.integral.search(latex) is not None


def _differentiates(latex: str) -> bool:
    has_prime = "'" in latex or "prime" in latex
    if has_prime and patterns.primed.search(latex):
        return True
    hinted = has_prime or "d" in latex or "D" in latex
    return hinted and patterns.derivative.search(latex) is not None
