r"""Reads the conditions of a problem on parameters: ``\int_0^n x\,dx, n\in\mathbb{N}``.

A text of conditions is a list of clauses: comparisons (``a > b > 0``), sets (``n \in \mathbb{N}``)
and words (``where n is a positive integer``). If a clause is not understood, the reader rejects the
whole text. The right answer under a condition may be wrong without the condition.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from ...errors import ProblemError
from ..expression.build import ONE, ZERO, add, neg
from ..expression.linear import NotLinearError, linear
from ..expression.traversal import all_nodes, fold, substitute, symbols_of
from ..expression.tree import Call, Expression, Symbol
from ..latex import ReadError, read

#: A longer text is no list of conditions: those of textbooks have up to 60 characters.
_LONGEST: Final = 400
_SPACES: Final = re.compile(
    r"\\(?:[,;:! ]|q?quad(?![A-Za-z])|(?:left|right|bigl?|bigr)(?![A-Za-z]))|[~$&]|\\\\"
)
_TEXT: Final = re.compile(r"\\(?:text|mbox|hbox|textrm|textit|mathrm)\s*\{([^{}]*)\}")
#: Where a clause ends and the next one begins.
_JOINT: Final = re.compile(
    r"[,;:]|\.(?!\d)|\\(?:wedge|land)(?![A-Za-z])|(?<![\\A-Za-z])(?i:and|where|with|for|if|when"
    r"|assum(?:e|ing)|suppose|provided|given|let|such\s+that|satisfying)(?![A-Za-z])"
)
_FILLER: Final = re.compile(
    r"(?<![\\A-Za-z])(?i:is|are|be|an|the|that|all|any|every|each|some|both|fixed|arbitrary|here"
    r"|numbers?|values?|symbolic|of|a(?=\s+(?:real|rational|positive|negative|non|integer|natural|whole|even|odd"
    r"|constant|parameter)))(?![A-Za-z])"
)
#: What a name may be said to be without a word for its kind.
_NOUN: Final = re.compile(r"(?<![\\A-Za-z])(?:constant|parameter)s?(?![A-Za-z])")
#: A noun for several names, of which the further ones follow behind commas: "integers $m,n$".
_PLURAL: Final = re.compile(
    r"(?<![\\A-Za-z])(?i:integers|reals|numbers|constants|parameters)(?![A-Za-z])"
)
#: Words for assumptions on a parameter, and the names of the assumptions in
#: `rewards.numeric.sampling.pool.ASSUMPTIONS`.
_WORDS: Final = {
    "real": "real", "rational": "real", "nonzero": "real", "non-zero": "real",
    "positive": "positive", "nonnegative": "positive", "non-negative": "positive",
    "negative": "negative", "integer": "signed integer", "natural": "integer", "whole": "integer",
    "even": "even", "odd": "odd",
}  # fmt: skip
_WORD: Final = re.compile(
    rf"(?<![\\A-Za-z-])({'|'.join(_WORDS)})s?(?![A-Za-z])(?! log)", re.IGNORECASE
)
_SET: Final = re.compile(
    r"(?:\\in(?![A-Za-z])|∈)\s*(?:\\(?:mathbb|mathbf|mathds)\s*\{?\s*|\\)?([NZRQℕℤℝℚ])\s*\}?"
    r"(?P<part>(?:\s*[\^_]\s*(?:\{[^{}]*\}|[\w+*-]))*)\s*"
    r"(?:(?:\\(?:setminus|backslash|smallsetminus)|∖)\s*\\\{(?P<without>[^{}]*)\\\}\s*)?"
)
_OF_A_SET: Final = {"N": "integer", "ℕ": "integer", "Z": "signed integer", "ℤ": "signed integer"}
#: The numbers of ``n = 1, 2, 3, \dots``.
_SERIES: Final = re.compile(
    r"(?:=|\\in(?![A-Za-z])|∈)\s*(?:\\\{)?\s*(\d+)\s*,\s*(\d+)\s*,\s*(?:\d+\s*,\s*){0,8}"
    r"(?:\\[lc]?dots|\.{3}|…)\s*(?:\\\})?"
)
#: Letters that stand for whole numbers, such as indices and orders.
INDEX_LETTERS: Final = "nmkN"
#: A name of LaTeX, with an index.
NAME: Final = re.compile(r"(?:[A-Za-z]|\\[a-zA-Z]+)(?:_(?:\w|\{\w+\}))?")
#: The sign of a relation.
RELATION: Final = re.compile(
    r"[<>=≤≥≠∈]|\\(?:[lg]t|[lg]eq?(?:slant)?|neq?|not|in|approx|equiv)(?![A-Za-z])"
)
_FLIPPED: Final = {"gt": "lt", "ge": "le"}


class Conditions(NamedTuple):
    """The assumptions on a problem's parameters, and the comparisons that parameters satisfy.

    Attributes:
        assumptions: pairs of a name and an assumption of
            `rewards.numeric.sampling.pool.ASSUMPTIONS`.
        comparisons: all comparisons, as trees of ``lt``, ``le`` and ``ne``.

    Example:
        >>> Conditions((("n", "integer"),)).comparisons
        ()

    """

    assumptions: tuple[tuple[str, str], ...] = ()
    comparisons: tuple[Expression, ...] = ()

    def also(self, further: Conditions) -> Conditions:
        """The union with further conditions.

        Args:
            further: the further conditions.

        Returns:
            The assumptions and the comparisons of the two objects.

        """
        assumptions = self.assumptions + further.assumptions
        return Conditions(assumptions, self.comparisons + further.comparisons)


#: The lower and the upper bound of a variable, or None for an infinite one.
Bounds: TypeAlias = "tuple[Expression | None, Expression | None]"


class Interval(NamedTuple):
    """An interval of real numbers.

    Attributes:
        ends: the lower and the upper end. ``None`` means an infinite end.
        closed: whether the lower and the upper end belong to the interval.

    """

    ends: tuple[Expression | None, Expression | None]
    closed: tuple[bool, bool] = (False, False)


#: Where conditions may begin behind an integral, and how many such places are tried.
_START: Final = re.compile(
    r"[,;(\[:]|\\(?:[,;:! ]|q?quad|text|mbox|hbox|mathrm)(?![A-Za-z])|~|where|for|\bif\b"
)
_TRIES: Final = 12


def behind(body: str) -> Iterator[tuple[str, Conditions]]:
    r"""Yield the ways to split a text into a formula and the conditions after the formula.

    >>> [rest for rest, _ in behind(r"x^a\,dx \quad (a>0)")][0]
    'x^a\\,dx'
    """
    for match in itertools.islice(_START.finditer(body, max(len(body) - _LONGEST, 1)), _TRIES):
        conditions = conditions_of(body[match.start() :])
        if conditions is not None:
            yield body[: match.start()].rstrip("=? "), conditions


def conditions_of(text: str) -> Conditions | None:
    r"""Read a list of conditions. If the text contains anything else, the result is
    None.

    Raises:
        ProblemError: a parameter is said to be positive and negative.

    >>> conditions_of(r"\text{where }n\text{ is a positive integer and }a<0").assumptions
    (('a', 'negative'), ('n', 'integer'))

    """
    if len(text) > _LONGEST:
        return None
    plain = _SERIES.sub(_set_of_series, _SPACES.sub(" ", _TEXT.sub(r" \1 ", text)))
    statements = _Statements()
    understood = all(map(statements.take, _clauses(plain)))
    if not understood or statements.pending or not statements.words:
        return None
    return statements.conditions()


def has_kind(text: str) -> bool:
    """Whether a text has a word for a kind of number, such as ``integer``."""
    return _WORD.search(text) is not None


@dataclass(slots=True)
class _Statements:
    """The statements about names in the preceding clauses.

    ``words`` has the assumptions stated for each name. ``comparisons`` has the comparisons, as
    trees. ``pending`` has names whose assumption follows later, as a in "a and b are positive".
    ``recent`` has the names to which the last assumption applies. ``excluded`` has the numbers that
    the set of the clause lacks. ``shared`` has the words that further names share, as n in
    "integers m, n".
    """

    words: dict[str, set[str]] = field(default_factory=dict)
    comparisons: list[Expression] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    recent: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)

    def take(self, clause: str) -> bool:
        """Add a clause. The result is False if the clause is not understood."""
        words = {_WORDS[word.lower()] for word in _WORD.findall(clause)}
        remainder = _WORD.sub(" ", _FILLER.sub(" ", clause))
        noun = _NOUN.search(remainder)
        remainder = _NOUN.sub(" ", remainder).strip()
        member = _SET.search(remainder)
        if member is not None:
            words.add(_OF_A_SET.get(member[1], "real"))
            words |= {"positive"} if re.search(r"[+>]|\\ge", member["part"]) else set()
            words |= {"negative"} if re.search(r"[<-]", member["part"]) else set()
            self.excluded = (member["without"] or "").replace(",", " ").split()
            remainder = remainder[: member.start()] + remainder[member.end() :]
        named = bool(words) or noun is not None
        relation = RELATION.search(remainder)
        if relation is None:
            # a and b of "a and b are positive" wait for the word
            names = remainder.split()
            if named:
                self.shared = words if names and _PLURAL.search(clause) else set()
            elif self.shared and names and all(map(NAME.fullmatch, names)):
                self._say(self.shared, names)
                return True
            if named and not names and not self.pending:
                self._say(words, self.recent)  # positive, of "a is real and positive"
                return bool(self.recent)
            self.pending += [name.replace("{", "").replace("}", "") for name in names]
            if not all(map(NAME.fullmatch, names)) or (named and not self.pending):
                return False
            if named:
                self._say(words, self.pending)
            return True
        self.shared = set()
        # In "a, b > 0", the name a waits in `pending`, and the relation holds for a and b.
        compared: set[str] = set()
        for subject in (*self.pending, remainder[: relation.start()]):
            comparisons = comparisons_of(f"{subject} {remainder[relation.start() :]}")
            if not comparisons:
                return False
            self.comparisons += comparisons
            compared.update(*map(symbols_of, comparisons))
        self._say(words, compared)
        return True

    def _say(self, words: set[str], names: Collection[str]) -> None:
        for name in names:
            self.words.setdefault(name.lstrip("\\"), set()).update(words)
            for number in self.excluded:
                self.comparisons += comparisons_of(rf"{name} \ne {number}")
        self.recent, self.pending, self.excluded = list(names), [], []

    def conditions(self) -> Conditions:
        """All comparisons, and the assumptions on the names, from the words and the comparisons."""
        assumptions = tuple((name, self._assumption(name)) for name in sorted(self.words))
        return Conditions(assumptions, tuple(dict.fromkeys(self.comparisons)))

    def _assumption(self, name: str) -> str:
        words = self.words[name]
        sign = {"positive", "negative"} & (
            words | {_sign(comparison, name) for comparison in self.comparisons}
        )
        if len(sign) == 2:
            raise ProblemError(f"the conditions say that {name} is positive and negative")
        for number_set in ("even", "odd", "integer"):
            if number_set in words:
                return number_set
        if "signed integer" in words:
            return "integer" if "positive" in sign else "signed integer"
        signed = "real" in words or any(
            _is_signed(comparison, name) for comparison in self.comparisons
        )
        return sign.pop() if sign else "real" if signed else "positive"


def _set_of_series(match: re.Match[str]) -> str:
    """Replace a list of numbers by a set or a word: "odd" replaces 1, 3, 5, ..."""
    start, second = int(match[1]), int(match[2])
    return r"\in\mathbb{N} " if second != start + 2 else " odd " if start % 2 else " even "


def _clauses(text: str) -> Iterator[str]:
    """Split a text into clauses at commas, "and" and similar words.

    Commas and words inside brackets do not split the text. If brackets enclose a whole clause, the
    content of the brackets is split in the same way.
    """
    level, start, clauses = 0, 0, []
    joints = {match.start(): match.end() for match in _JOINT.finditer(text)}
    for at, character in enumerate(text):
        level += (character in "([{") - (character in ")]}")
        if level == 0 and at in joints and at >= start:
            clauses.append(text[start:at])
            start = joints[at]
    for clause in map(str.strip, (*clauses, text[start:])):
        if clause.startswith(("(", "[")) and clause.endswith((")", "]")):
            yield from (
                inner_clause
                for inner_clause in map(str.strip, _JOINT.split(clause[1:-1]))
                if inner_clause
            )
        elif clause:
            yield clause


def comparisons_of(text: str) -> list[Expression]:
    """Read a chain such as ``a < b < 0`` as comparisons.

    In each comparison, the smaller expression comes first. The list is empty if the text is not
    such a chain.
    """
    try:
        tree = read(rf"\begin{{cases}}1&{text}\\0&\text{{otherwise}}\end{{cases}}")[0].expression
    except ReadError:
        return []
    # The LaTeX reader reads a comparison only as the condition of a case.
    operands = [tree.args[1]] if tree.function == "piecewise" and len(tree.args) == 3 else []
    for operand in operands:
        if operand.function == "and":
            operands += operand.args
    turned = [
        Call(_FLIPPED[comparison.function], comparison.args[::-1])
        if comparison.function in _FLIPPED
        else comparison
        for comparison in operands
        if comparison.function != "and"
    ]
    if not {comparison.function for comparison in turned} <= {"lt", "le", "ne"}:
        return []
    for lower_link in turned:
        # a < b < 0 says a < 0
        further = [
            Call("lt", (lower_link.args[0], upper_link.args[1]))
            for upper_link in turned
            if lower_link.args[1] == upper_link.args[0]
            and "ne" not in (lower_link.function, upper_link.function)
        ]
        turned += [implied for implied in further if implied not in turned]
    return turned


def _sign(comparison: Expression, name: str) -> str:
    """The sign of the symbol ``name``, inferred from a comparison.

    If x is the symbol and c is a number, the comparison must be 0 <= c < x or x < c <= 0. For any
    other comparison, the result is empty.
    """
    low, high = comparison.args
    low_value, high_value = fold(low), fold(high)
    if comparison.function == "ne":
        return ""
    if high == Symbol(name) and low_value is not None and low_value >= 0:
        return "positive"
    return "negative" if low == Symbol(name) and high_value is not None and high_value <= 0 else ""


def may_be_zero(comparisons: Iterable[Expression]) -> list[str]:
    """The symbols for which a comparison such as a >= 0 allows the value 0."""
    weak = (comparison.args for comparison in comparisons if comparison.function == "le")
    return [
        side.name
        for sides in weak
        for side, opposite in (sides, sides[::-1])
        if isinstance(side, Symbol) and fold(opposite) == 0
    ]


def is_sign(comparison: Expression) -> bool:
    """Whether a comparison compares a symbol with 0."""
    return any(isinstance(side, Symbol) for side in comparison.args) and any(
        fold(side) == 0 for side in comparison.args
    )


def _is_signed(comparison: Expression, name: str) -> bool:
    r"""Whether a comparison allows negative values of the symbol ``name``.

    If x is the symbol, examples are x != 0, \|x\| < a, x < 1, and -1 < x.
    """
    if any(node.function == "abs" and name in symbols_of(node) for node in all_nodes(comparison)):
        return True
    low, high = comparison.args
    bound = fold(high if low == Symbol(name) else low)
    if Symbol(name) not in (low, high) or bound is None:
        return False
    return comparison.function != "ne" or bound == 0


def interval_of(comparisons: Iterable[Expression], name: str) -> Interval | None:
    r"""The interval of a symbol x in comparisons such as a < x < b or \|x - c\| < r.

    Comparisons without x are left out. If x is compared in another way, or two different bounds are
    stated, the result is None.
    """
    comparisons = tuple(comparisons)
    bounds: dict[int, tuple[Expression, bool]] = {}
    for comparison in comparisons:
        if name not in symbols_of(comparison):
            continue
        (low, high), closed = comparison.args, comparison.function == "le"
        stated_bounds = {-1: (low, closed)} if high == Symbol(name) else {1: (high, closed)}
        is_bound = Symbol(name) in comparison.args and comparison.function != "ne"
        if low.function == "abs":
            with suppress(NotLinearError):
                is_bound = linear(low.args[0], (name,))[1] == [(ONE, name)]
                shift = substitute(low.args[0], name, ZERO)
                stated_bounds = {
                    -1: (neg(add(high, shift)), closed),
                    1: (add(high, neg(shift)), closed),
                }
        if not is_bound or any(name in symbols_of(end) for end, _ in stated_bounds.values()):
            return None
        for side, end in stated_bounds.items():
            known = bounds.setdefault(side, end)
            # of x > a > 0, the bound 0 is known to be no tighter than a
            weaker = Call("lt", (end[0], known[0]) if side < 0 else (known[0], end[0]))
            tighter = Call("lt", weaker.args[::-1])
            if known != end and weaker not in comparisons and tighter not in comparisons:
                return None
            bounds[side] = end if tighter in comparisons else known
    (lower, from_below), (upper, from_above) = (bounds.get(at, (None, False)) for at in (-1, 1))
    return Interval((lower, upper), (from_below, from_above))


def bounds_of(comparisons: Iterable[Expression], variable: str) -> Bounds:
    """The lower and the upper bound of a variable in comparisons such as a < x < b.

    Raises:
        ProblemError: a comparison with the variable is no bound, or the variable has two bounds.

    """
    interval = interval_of(
        [comparison for comparison in comparisons if comparison.function != "ne"], variable
    )
    if interval is None:
        raise ProblemError(f"a condition on {variable} that is no bound")
    return interval.ends


def ranges_of(comparisons: Iterable[Expression], variable: str) -> tuple[Bounds, ...]:
    r"""The intervals of a variable in comparisons: none without a bound, and two for \|x\| > r.

    Raises:
        ProblemError: as for `bounds_of`.

    """
    comparisons = tuple(comparisons)
    relevant = [c for c in comparisons if c.function != "ne" and variable in symbols_of(c)]
    if not relevant:  # as of most integrands
        return ()
    if [comparison.args[1] for comparison in relevant] == [Call("abs", (Symbol(variable),))]:
        low = relevant[0].args[0]
        if variable not in symbols_of(low):
            return (low, None), (None, neg(low))
    return (bounds_of(comparisons, variable),)
