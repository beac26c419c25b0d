"""Fingerprints of integrals, equal up to a constant factor and the names of symbols.

Fingerprints find duplicates within a benchmark, and problems of a benchmark in a training set. An
integrand is evaluated in ball arithmetic at fixed complex and real points. The quotients of
neighbouring values, in which a constant factor cancels, are rounded to `DIGITS` digits: the marks
of the fingerprint. Integrands with `SHARED` common marks are candidates, and the verifier decides
on equality. (Two forms of a root may differ in sign at some points, so that not all marks need to
agree.) The limits of definite integrals have to agree, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from flint import acb, arb

from ..rewards import ProblemError, Status, verify_equivalent
from ..rewards.numeric.ball_arithmetic.balls import Tape, UnusableError, precision
from ..rewards.numeric.ball_arithmetic.compiler import compile_tape
from ..rewards.numeric.quadrature import prepare_definite
from ..rewards.numeric.sampling.integrand import prepare
from ..rewards.reading.expression.traversal import needs_worker, nodes_of, symbols_of
from ..rewards.reading.expression.tree import Call, Expression, Symbol
from ..rewards.reading.latex import to_latex
from .payloads import DefiniteTarget, IntegrationTarget
from .problem import Problem

#: The tasks whose problems have fingerprints.
#: Decimal digits of a mark.
DIGITS = 12
#: The number of common marks for a comparison by the verifier.
SHARED = 3
_PRECISIONS = (128, 512, 2048)
#: An offset before rounding down, so that values in practice are not near a boundary.
_OFFSET = "0.31830988618"
#: Generic points, away from poles and branch cuts in practice.
_COMPLEX = (
    ("0.36787", "0.41421"),
    ("1.27323", "0.57721"),
    ("-0.69314", "0.91596"),
    ("2.50662", "0.33467"),
    ("-1.64493", "0.26149"),
    ("0.11494", "1.20205"),
)
_REAL = (
    "0.0761594",
    "0.2360679",
    "0.4812118",
    "0.7390851",
    "0.8346268",
    "1.1186362",
    "1.4513692",
    "2.2247448",
    "3.7320508",
    "-0.1428571",
    "-0.5671432",
    "-1.3247179",
    "-2.7320508",
)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The marks of an integrand, and the integrand itself in ``x``, ``p_1``, ``p_2``, ...

    ``range`` has the limits of a definite integral, in either order, and is empty without.
    """

    marks: frozenset[str]
    canonical: Expression
    range: tuple[str, ...] = ()

    def resembles(self, second: Fingerprint) -> bool:
        """Whether two fingerprints are candidates for equality up to a factor."""
        return self.range == second.range and len(self.marks & second.marks) >= SHARED

    def same(self, other: Fingerprint) -> bool | None:
        """Whether the verifier proves equality up to a factor; None if undecided.

        The derivatives of logarithms are compared: the factor may differ between the pieces of the
        domain.
        """
        if self.range != other.range:
            return False
        if self.canonical == other.canonical:
            return True
        logarithm, second_logarithm = (_logarithm(print_.canonical) for print_ in (self, other))
        try:
            verdict = verify_equivalent(
                logarithm, second_logarithm, variable="x", up_to_constant=True
            )
        except ProblemError:
            return None
        if verdict.status in (Status.CORRECT, Status.INCORRECT):
            return verdict.correct
        return None


def fingerprint(integrand: str, variable: str | None = None) -> Fingerprint:
    r"""The fingerprint of an integrand in LaTeX (with or without ``\int`` and ``dx``).

    Args:
        integrand: LaTeX. Parameters are renamed in order of occurrence.
        variable: the variable; needed without a differential and with several symbols.

    Returns:
        The fingerprint.

    Raises:
        ProblemError: the integrand cannot be read or evaluated.

    """
    problem = prepare(integrand, variable, None)
    (tree,) = _canonical([problem.expression], problem.variable)
    return Fingerprint(_marks(tree), tree)


def definite_fingerprint(integral: str) -> Fingerprint:
    r"""The fingerprint of a definite integral in LaTeX, equal up to a factor, names and direction.

    Args:
        integral: as for `rewards.verify_definite_integral`.

    Returns:
        The fingerprint.

    Raises:
        ProblemError: the integral cannot be read, or integrand or limits cannot be evaluated.

    """
    problem = prepare_definite(integral)
    ends = problem.lower, problem.upper
    finite = [end for end in ends if not isinstance(end, int)]
    tree, *limits = _canonical([problem.integrand.expression, *finite], problem.integrand.variable)
    ends_of_range = [f"{end} oo" for end in ends if isinstance(end, int)] + [*map(_end, limits)]
    flags = ["principal value"] if problem.principal_value else []
    return Fingerprint(_marks(tree), tree, (*sorted(ends_of_range), *flags))


def _canonical(trees: Sequence[Expression], variable: str) -> list[Expression]:
    names = {variable: "x"}
    for node in (node for tree in trees for node in nodes_of(tree)):
        if isinstance(node, Symbol):
            names.setdefault(node.name, f"p_{len(names)}")

    def renamed(node: Expression) -> Expression:
        if isinstance(node, Symbol):
            return Symbol(names[node.name])
        if isinstance(node, Call):
            return Call(node.function, tuple(map(renamed, node.args)))
        return node

    return [renamed(tree) for tree in trees]


def _end(limit: Expression) -> str:
    """A limit of integration, rounded."""
    names = symbols_of(limit)
    values = {name: acb(arb(3 + 2 * int(name.removeprefix("p_"))) / 7) for name in names}
    for bits in _PRECISIONS:
        with precision(bits):
            tape = compile_tape(limit, "")
            value = tape.run(acb(0), values, derivative=False)[tape.root][0]
            if value.is_zero() or (value.contains(0) and bits == _PRECISIONS[-1]):
                return "0"
            rounded = _rounded(value) if value.is_finite() and not value.contains(0) else None
        if rounded is not None:
            return rounded
    raise ProblemError(f"the limit {to_latex(limit)} has no value")


def _logarithm(tree: Expression) -> str:
    return to_latex(Call("ln", (Call("abs", (tree,)),)))


@lru_cache(maxsize=4096)
def _marks(tree: Expression) -> frozenset[str]:
    if needs_worker(tree):  # may take long: then only the same text is a candidate
        return frozenset(f"text {i} {to_latex(tree)}" for i in range(SHARED))
    try:
        tape = compile_tape(tree, "x")
    except UnusableError as error:
        raise ProblemError(f"the integrand cannot be used: {error}") from None
    marks: list[str | None] = []
    for bits in _PRECISIONS:
        with precision(bits):
            marks = [
                *_chain(tape, "complex", [acb(arb(a), arb(b)) for a, b in _COMPLEX]),
                *_chain(tape, "real", [acb(arb(a)) for a in _REAL]),
            ]
        if None not in marks:
            break
    return frozenset(mark for mark in marks if mark is not None)


def _chain(tape: Tape, point_kind: str, points: list[Any]) -> Iterator[str | None]:
    """A mark for each pair of neighbouring points with finite f; None for too wide a ball."""
    parameters = {name: acb(arb(3 + 2 * i) / 7) for i, name in enumerate(sorted(tape.symbols))}
    previous = None
    for at, point in enumerate(points):
        value = tape.run(point, parameters, derivative=False)[tape.root][0]
        if not value.is_finite() or value.contains(0):
            value = None
        if value is not None and previous is not None:
            rounded = _rounded(value / previous)
            yield None if rounded is None else f"{point_kind} {at} {rounded}"
        previous = value


def _rounded(value: Any) -> str | None:
    """A complex number to `DIGITS` significant digits; None for too wide a ball."""
    magnitude = abs(value).log() / arb(10).log()
    exponent = (magnitude + arb(_OFFSET)).floor().unique_fmpz()
    if exponent is None:
        return None
    scale = arb(10) ** (DIGITS - int(exponent))
    digits = []
    for coordinate in (value.real, value.imag):
        rounded = (coordinate * scale + arb(_OFFSET)).floor().unique_fmpz()
        if rounded is None:
            return None
        digits.append(int(rounded))
    return f"{digits[0]} {digits[1]} {int(exponent)}"


# --- whole sets of problems ---


@dataclass(frozen=True, slots=True)
class Match:
    """Two problems whose integrands (and limits) are the same up to a factor and names.

    ``confirmed`` is False if the fingerprints agree but the verifier is undecided.
    """

    first: str
    second: str
    confirmed: bool = True


@dataclass(slots=True)
class Overlap:
    """The matches, the unreadable problems with the reasons, and how many were compared."""

    matches: list[Match] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    compared: int = 0


class _Index:
    def __init__(self) -> None:
        self._by_mark: dict[str, list[int]] = defaultdict(list)
        self._added: list[tuple[str, Fingerprint]] = []

    def add(self, name: str, print_: Fingerprint) -> None:
        for mark in print_.marks:
            self._by_mark[mark].append(len(self._added))
        self._added.append((name, print_))

    def matches(self, name: str, print_: Fingerprint) -> Iterator[Match]:
        """The equal problems of the index, in the order of adding."""
        shared = Counter(at for mark in print_.marks for at in self._by_mark.get(mark, ()))
        for at in sorted(at for at, count in shared.items() if count >= SHARED):
            earlier, candidate = self._added[at]
            same = candidate.same(print_)
            if same is not False:
                yield Match(earlier, name, confirmed=bool(same))


def overlap(ours: Iterable[Problem], theirs: Iterable[Problem]) -> Overlap:
    """The problems of a set with a match in another set.

    Integrals, indefinite and definite, are compared; other tasks are skipped.

    Args:
        ours: the first set, held in memory.
        theirs: the second set, read as a stream.

    Returns:
        The matches, with ids of the form ``bee/competition/c001``.

    """
    result, index = Overlap(), _Index()
    for name, print_ in _fingerprints(ours, result):
        index.add(name, print_)
    for name, print_ in _fingerprints(theirs, result):
        result.compared += 1
        result.matches.extend(index.matches(name, print_))
    return result


def duplicates(problems: Iterable[Problem]) -> Overlap:
    """Every pair of matching problems in a set; see `overlap`."""
    result, index = Overlap(), _Index()
    for name, print_ in _fingerprints(problems, result):
        result.compared += 1
        result.matches.extend(index.matches(name, print_))
        index.add(name, print_)
    return result


def _fingerprints(
    problems: Iterable[Problem], result: Overlap
) -> Iterator[tuple[str, Fingerprint]]:
    for problem in problems:
        if not isinstance(problem.target, IntegrationTarget | DefiniteTarget):
            continue
        name = f"{problem.name}/{problem.id}"
        try:
            yield name, fingerprint_of(problem)
        except ProblemError as error:
            result.unreadable.append((name, str(error)))


def fingerprint_of(problem: Problem) -> Fingerprint:
    """The fingerprint of an integral; raises `ProblemError`."""
    if isinstance(problem.target, DefiniteTarget):
        return definite_fingerprint(problem.target.integral)
    target = problem.target_as(IntegrationTarget)
    return fingerprint(target.integrand, target.variable)
