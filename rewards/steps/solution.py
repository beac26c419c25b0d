"""Judge every claim of a solution, in the order of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice, product
from typing import TYPE_CHECKING, Any

from ..answers import NeedsWorkerError
from ..antiderivative import verify_antiderivative
from ..arguments import check_text
from ..decision.integrand import Integrand, as_latex, prepare
from ..definite import verify_definite_integral
from ..expression.traversal import symbols_of
from ..quadrature import prepare_definite
from ..verdict import Status, Verdict
from ..workers.errors import WorkerError
from ..workers.pool import DEFAULT_DEADLINE
from ..workers.verdicts import call_task
from .definitions import meaning_of
from .judge import Finding, Work, compare
from .kinds import kind_of
from .progress import Progress
from .result import Claim, Definition, Judgement, Kind, Solution
from .scope import UNRELATED, Equation, Scope, free_symbols, is_constant_name
from .sides import Derivative, Differential, Integral, NotReadError, Side, read_sides
from .statements import MOST, Link, Statement, statements
from .unknowns import solve

if TYPE_CHECKING:
    import sympy

#: Pairs of readings of two sides that are compared.
PAIRS = 4
#: Claims that may wait for a definition.
REMEMBERED = 8

_CALL = re.compile(
    r"(?P<name>[A-Za-z])\s*(?:\\left)?\(\s*\\?(?P<of>(?!pi|e\b)[A-Za-z]+)\s*(?:\\right)?\)"
)
#: A letter that a formula holds for any value of.
_PARAMETER = re.compile(r"[abdk-s](?:_\w+)?|alpha|beta|lambda|mu|omega")
_DECIMAL = re.compile(r"\d\.\d")
_FAULTS = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
UNKNOWN = "unknown constants"
_DEFINITE = re.compile(
    r"(?:\\(?:int|fint|dashint)(?![A-Za-z])|[∫⨍])\s*(?:\\(?:no)?limits(?![A-Za-z]))?\s*[_^]"
)


def verify_solution(
    completion: str,
    integrand: str | sympy.Expr,
    *,
    variable: str | None = None,
    assumptions: Mapping[str, str] | None = None,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    deadline: float = DEFAULT_DEADLINE,
) -> Solution:
    r"""Verify every step of a solution of an integral.

    Equations in displays, in the text and on lines of their own are read as claims, and each is
    judged by itself: one that follows rightly from a wrong one is right. An equality of expressions
    with integrals is meant up to a constant. A claim that is not read, or that holds on a part of
    the real line only, is ``unchecked``.

    Args:
        completion: the model's output. Any text is safe, and the work that it causes is bounded.
        integrand: f, as for `verify_antiderivative`; or a definite integral, in LaTeX, as for
            `verify_definite_integral`.
        variable: the variable of an indefinite integral, as there.
        assumptions: kinds of parameters, as there.
        strict: an answer needs a box.
        stop: the prompt's stop strings. Text after the first of them is ignored.
        truncated: the completion was cut off by the token limit.
        deadline: seconds of wall clock for what has to run in a worker.

    Returns:
        The claims with their places, the definitions, and the verdict of the final answer.

    Raises:
        ProblemError: the integrand is unreadable or ambiguous, or the variable is wrong.
        PoolError: a worker is needed and cannot be started.
        ArgumentTypeError: the completion is no text, or a switch is neither True nor False.

    Example:
        >>> solution = verify_solution(
        ...     r"$\int x\cos x\,dx = x\sin x + \int\sin x\,dx = x\sin x - \cos x + C$", r"x\cos x"
        ... )
        >>> [str(claim.judgement) for claim in solution.claims]
        ['incorrect', 'correct', 'incorrect']
        >>> solution.claims[0].kind, solution.first_wrong, solution.outcome
        ('parts', 0, 'wrong')

    """
    check_text("completion", completion)
    text = as_latex(integrand)
    options: dict[str, Any] = {
        "variable": variable,
        "assumptions": dict(assumptions or {}),
        "strict": strict,
        "stop": list(stop),
        "truncated": truncated,
        "deadline": deadline,
    }
    try:
        return _solution(completion, text, Work(), **options)
    except NeedsWorkerError:
        with suppress(WorkerError):
            result = call_task("solution", completion, text, options, deadline=deadline)
            return Solution.from_dict(result)
        return _solution(completion, text, Work(special=False), **options)


def _solution(
    completion: str,
    problem: str,
    work: Work,
    *,
    variable: str | None,
    strict: bool,
    stop: Sequence[str],
    truncated: bool,
    **options: Any,
) -> Solution:
    verify: Callable[..., Verdict]
    if _DEFINITE.search(problem):
        known = prepare_definite(problem, options["assumptions"])
        integrand = known.integrand
        whole = Integral(integrand.expression, integrand.variable, (known.lower, known.upper))
        verify = partial(verify_definite_integral, problem=problem, **options)
    else:
        integrand = prepare(problem, variable, options["assumptions"])
        whole = Integral(integrand.expression, integrand.variable)
        verify = partial(verify_antiderivative, integrand=problem, variable=variable, **options)
    verdict = verify(completion, strict=strict, stop=stop, truncated=truncated)
    if verdict.status is Status.INCORRECT and verdict.answer and verdict.evidence.witness is None:
        # Perhaps a wrong step beside a right answer; here steps are judged by themselves.
        alone = verify(rf"\boxed{{{verdict.answer}}}")
        verdict = alone if alone.answer == verdict.answer else verdict
    reader = _Reader(integrand, whole, work)
    for statement in statements(completion, stop):
        reader.take(statement)
    chains = [each.links for each in reader.ends if len(each.links) > 1]
    lost = verdict.status is Status.INCORRECT and verdict.evidence.witness is None
    if whole.limits and lost and chains and not any(each.boxed for each in reader.ends):
        # Taken for the answer was an antiderivative on the way to the value.
        verdict = verify(rf"\boxed{{{chains[-1][-1].latex}}}")
    reader.conclude(verdict, completion)
    return Solution(tuple(reader.claims), tuple(reader.definitions), verdict)


@dataclass(frozen=True, slots=True)
class _Read:
    """A link with its readings."""

    link: Link
    sides: Sequence[Side]


@dataclass(frozen=True, slots=True)
class _Judged:
    """What was found of a claim, the definitions it uses, and the readings that it is about."""

    finding: Finding
    kind: Kind
    used: frozenset[str]
    pair: tuple[Side, Side] | None = None


@dataclass(slots=True)
class _Chain:
    """A chain of equalities so far."""

    root: _Read | None = None  # its first link
    last: _Read | None = None
    anti: bool = False  # it is of antiderivatives
    proven: tuple[Side, Side] | None = None  # the ends of what is proven, as they were read


class _Reader:
    """Takes the statements of a solution in order; ``claims`` are what they claim."""

    def __init__(self, problem: Integrand, whole: Integral, work: Work) -> None:
        self.problem, self.whole = problem, whole
        self.scope = Scope(problem.variable, frozenset(problem.symbols))
        self.claims: list[Claim] = []
        self.definitions: list[Definition] = []
        self.work = work
        self.progress = Progress(whole)
        self.numbers = count(1000)
        self.places: dict[str, int] = {}  # of the definitions in force
        self.before: _Chain | None = None  # that a line which begins with "=" goes on with
        self.chain = _Chain()
        self.pending: list[tuple[int, _Read, _Read, str]] = []  # claims that want a definition
        self.wrong = False
        self.ends: list[Statement] = []  # that may hold the final answer

    def take(self, statement: Statement) -> None:
        """Judge what a statement claims, and keep what it defines."""
        if statement.condition or statement.approximate or len(self.claims) >= MOST:
            return
        links = statement.links
        self.ends.append(statement)
        start, settled = 0, ""
        self.chain = _Chain()
        if links[0].latex:
            if len(links) > 1:
                start, settled = self._define(statement, links)
        elif self.before is not None and self.before.last is not None:
            self.chain = self.before
            links = [self.before.last.link, *links[1:]]
        else:
            links = links[1:]
        if len(links) == 1:
            if statement.displayed or "int" in links[0].latex:
                self.before = _Chain(last=_Read(links[0], self.sides(links[0])))
            return
        if start == len(links):
            return
        chain = self.chain
        left = chain.last or _Read(links[start], self.sides(links[start]))
        chain.root = chain.root or left
        follows: int | None = None
        for link in links[start + 1 : start + MOST]:
            if not link.latex:
                continue
            right = _Read(link, self.sides(link))
            first = link if left is chain.last or follows is not None else left.link
            follows = self._claim(statement, left, right, first, follows)
            if right.sides:  # what is not read is passed over: a = ? = b claims a = b
                left = right
        if settled and left.sides:
            self._keep(settled, left.sides[0], links)
        differential = any(side.has(Differential) for side in left.sides[:1])
        if not (settled or differential or (start and len(links) == 2)):
            chain.last, self.before = left, chain

    def sides(self, link: Link) -> list[Side]:
        """The readings of a link."""
        scope = self.scope
        return read_sides(link.latex, scope.names, scope.functions, scope.variable, self.numbers)

    def _define(self, statement: Statement, links: Sequence[Link]) -> tuple[int, str]:
        """The link at which the claims of a chain begin, and a symbol that they settle."""
        scope = self.scope
        call = _CALL.fullmatch(links[0].latex)
        if call and call["name"] not in scope.symbols:
            scope.functions.setdefault(call["name"], call["of"])
        lefts, rights = self.sides(links[0]), self.sides(links[1])
        if not lefts or not rights:
            return 0, ""
        try:
            meaning = meaning_of(
                lefts[0], rights[0], statement.lead, scope, self.whole, self._agree
            )
            if meaning.value is not None:
                self._keep(meaning.name, meaning.value, links)
                if lefts[0].has(Differential):
                    scope.chosen.add(meaning.name)
                else:
                    scope.chosen.discard(meaning.name)
        except NotReadError:
            return 0, ""
        if meaning.act == "nothing":
            return len(links), ""
        return int(meaning.act == "define"), meaning.name if meaning.act == "settle" else ""

    def _keep(self, name: str, value: Side, links: Sequence[Link]) -> None:
        self.scope.define(name, value)
        if self.before is not None:
            self.before.proven = None  # its symbols may have another meaning now
        self.places[name] = len(self.definitions)
        self.definitions.append(Definition(name, links[1].latex, links[0].start, links[1].end))
        if self.pending:
            self._judge_again()

    # --- judging ---

    def _agree(self, left: Side, right: Side) -> bool:
        finding, _ = self._compare(left, right, "agree")
        return finding.judgement is Judgement.CORRECT

    def _claim(
        self,
        statement: Statement,
        left: _Read,
        right: _Read,
        first: Link,
        follows: int | None,
    ) -> int:
        """Judge that two links are equal. Returns the index of the claim."""
        judged = self._judge(left, right, statement.lead)
        root = self.chain.root
        if judged.finding.detail.startswith(UNRELATED):
            if root is not None and root is not left:
                # A substitution that is not named: a = ?(u) = b claims a = b.
                around = self._judge(root, right, statement.lead)
                if around.finding.judgement is not Judgement.UNCHECKED:
                    judged = around
            self.pending.append((len(self.claims), left, right, statement.lead))
        claim = Claim(
            "algebra",
            Judgement.UNCHECKED,
            left.link.latex,
            right.link.latex,
            first.start,
            right.link.end,
            statement.displayed,
            follows=follows,
        )
        self.claims.append(self._with(claim, judged))
        return len(self.claims) - 1

    def _with(self, claim: Claim, judged: _Judged) -> Claim:
        """A claim with what was found of it."""
        finding, pair = judged.finding, judged.pair
        right = finding.judgement is Judgement.CORRECT
        self.wrong |= finding.judgement is Judgement.INCORRECT
        proven, self.chain.proven = self.chain.proven, pair if right else None
        starts = [pair[0]] if pair and right and not self.wrong else []
        if starts and pair and proven and proven[1] is pair[0]:
            self.chain.proven = proven[0], pair[1]
            starts.append(proven[0])
        gain = 0.0
        for start in starts:
            with suppress(*_FAULTS):
                gain += self.progress.gain(start, pair[1], self.scope) if pair else 0.0
        return replace(
            claim,
            kind="partial fractions" if finding.detail == UNKNOWN else judged.kind,
            judgement=finding.judgement,
            definitions=tuple(sorted(self.places[n] for n in judged.used if n in self.places)),
            points=finding.points,
            witness=finding.witness,
            gain=gain,
            detail="" if finding.detail == UNKNOWN else finding.detail,
        )

    def _judge(self, left: _Read, right: _Read, lead: str) -> _Judged:
        """Judge the readings of two links: one pair has to agree, or all have to differ."""
        best = _Judged(Finding(Judgement.UNCHECKED, detail="not read"), "algebra", frozenset())
        texts = left.link.latex, right.link.latex
        for pair in islice(product(left.sides, right.sides), PAIRS):
            self.chain.anti |= any(map(self._is_anti, pair))
            kind = kind_of(*pair, self.scope, lead) if best.pair is None else best.kind
            finding, used = self._compare(*pair, "|".join(texts))
            if finding.judgement is Judgement.INCORRECT and any(map(_DECIMAL.search, texts)):
                finding = Finding(Judgement.UNCHECKED, detail="a decimal that may be rounded")
            judged = _Judged(finding, kind, used, pair)
            if finding.judgement is Judgement.CORRECT:
                return judged
            if best.pair is None or finding.judgement is Judgement.UNCHECKED:
                best = judged
        return best

    def _judge_again(self) -> None:
        """Judge claims that wanted a definition which has come: "... where u = x^2"."""
        waiting, self.pending = self.pending[-REMEMBERED:], []
        chain, self.chain = self.chain, _Chain()
        for index, left, right, lead in waiting:
            judged = self._judge(left, right, lead)
            if judged.finding.judgement is not Judgement.UNCHECKED:
                self.claims[index] = self._with(self.claims[index], judged)
            elif judged.finding.detail.startswith(UNRELATED):
                self.pending.append((index, left, right, lead))
        self.chain = chain

    def _is_anti(self, side: Side) -> bool:
        """Whether a side has an indefinite integral that is not differentiated."""
        for name in symbols_of(side.expression):
            part = side.parts.get(name)
            if isinstance(part, Integral) and part.limits is None:
                return True
            value = self.scope.values.get(name) if part is None else None
            if value is not None and self._is_anti(value):
                return True
        return False

    def _compare(self, left: Side, right: Side, key: str) -> tuple[Finding, frozenset[str]]:
        """Compare two sides, with the definitions that they use."""
        used: frozenset[str] = frozenset()
        try:
            equation = self.scope.equation(left, right)
            used = equation.used
            constants = {
                name
                for name in equation.free
                if is_constant_name(name) and name not in self.scope.symbols
            }
            moving = any(side.has(Differential, Derivative) for side in (left, right))
            anti = self.chain.anti or self._is_anti(left) or self._is_anti(right)
            if left.has(Differential) != right.has(Differential):
                raise NotReadError("a differential on one side")
            order = int(anti or (bool(constants) and not moving))
            finding = compare(equation, order, self.problem.assumptions, key, self.work)
            unknown = equation.free - {equation.variable} - self.scope.symbols
            if anti or moving or constants & free_symbols(left) & free_symbols(right):
                unknown -= constants
            given = anti and unknown <= {n for n in free_symbols(left) if _PARAMETER.fullmatch(n)}
            if finding.judgement is Judgement.INCORRECT and unknown and not given:
                return self._solved(equation, sorted(unknown), key, anti or moving), used
        except NotReadError as error:
            return Finding(Judgement.UNCHECKED, detail=str(error)), used
        except _FAULTS as error:
            detail = f"{type(error).__name__}: {error}"
            return Finding(Judgement.UNCHECKED, detail=detail[:200]), used
        return finding, used

    def _solved(
        self, equation: Equation, unknown: Sequence[str], key: str, integral: bool
    ) -> Finding:
        """Determine unknown constants, with which the equation may hold."""
        if integral or not all(name[:1].isupper() for name in unknown):
            return Finding(Judgement.UNCHECKED, detail=f"{', '.join(unknown)} unknown")
        values = solve(equation, unknown, self.problem.assumptions, key, self.work)
        if values is None:
            given = not free_symbols(equation.left) & set(unknown)
            wrong = Judgement.INCORRECT if given else Judgement.UNCHECKED
            return Finding(wrong, detail=f"no {', '.join(unknown)} make both sides equal")
        if not values:
            return Finding(Judgement.UNCHECKED, detail=f"{', '.join(unknown)} not determined")
        for name, value in values.items():
            self.scope.values[name] = Side(value, {})
            self.scope.solved.add(name)
        return Finding(Judgement.CORRECT, points=len(unknown), detail=UNKNOWN)

    def conclude(self, verdict: Verdict, completion: str) -> None:
        """Add the claim that the final answer is right."""
        if verdict.answer is None:
            return
        answer = _joined(verdict.answer)
        boxed = [each.links[-1] for each in self.ends if each.boxed]
        same = [link for each in self.ends if answer in _joined((link := each.links[-1]).latex)]
        if boxed or same:
            place = (boxed or same)[-1]
        else:  # an answer without a sign of equality
            at = completion.rfind(verdict.answer)
            line = completion.rstrip().rfind("\n") + 1
            place = Link(verdict.answer, line, len(completion.rstrip()))
            if at >= 0:
                place = Link(verdict.answer, at, at + len(verdict.answer))
        judgement = {
            Status.CORRECT: Judgement.CORRECT,
            Status.INCORRECT: Judgement.INCORRECT,
        }.get(verdict.status, Judgement.UNCHECKED)
        evidence = verdict.evidence
        if judgement is Judgement.INCORRECT and not boxed:
            read = self.sides(Link(verdict.answer, 0, 0))
            names = {*self.scope.values, *self.scope.introduced}
            if self.whole.limits:
                names.add(self.whole.variable)
            if read and free_symbols(read[0]) & names:
                judgement = Judgement.UNCHECKED  # the text ends before its answer
        self.claims.append(
            Claim(
                "final",
                judgement,
                "",
                verdict.answer,
                place.start,
                place.end,
                displayed=True,
                points=evidence.points,
                witness=evidence.witness,
                detail=evidence.detail,
            )
        )


def _joined(latex: str) -> str:
    """LaTeX without spaces."""
    return "".join(latex.split())
