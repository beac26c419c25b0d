"""Takes the statements of a solution in order, and keeps what they claim and define."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count

from ..decision.integrand import Integrand
from ..verdict import Status, Verdict
from .definitions import meaning_of
from .judging.equality import Work
from .judging.readings import FAULTS, UNKNOWN, Judge, Judged, Read
from .progress import Progress
from .result import Claim, Definition, Judgement
from .scope import UNRELATED, Scope, free_symbols
from .sides import Differential, Integral, NotReadError, Side, read_sides
from .statements import MOST, Link, Statement

#: Claims that may wait for a definition.
REMEMBERED = 8

_CALL = re.compile(
    r"(?P<name>[A-Za-z])\s*(?:\\left)?\(\s*\\?(?P<of>(?!pi|e\b)[A-Za-z]+)\s*(?:\\right)?\)"
)


@dataclass(slots=True)
class _Chain:
    """A chain of equalities so far."""

    root: Read | None = None  # its first link
    last: Read | None = None
    anti: bool = False  # it is of antiderivatives
    proven: tuple[Side, Side] | None = None  # the ends of what is proven, as they were read


class Reader:
    """Takes the statements of a solution in order; ``claims`` are what they claim."""

    def __init__(self, problem: Integrand, whole: Integral, work: Work) -> None:
        self.problem, self.whole = problem, whole
        self.scope = Scope(problem.variable, frozenset(problem.symbols))
        self.claims: list[Claim] = []
        self.definitions: list[Definition] = []
        self.judge = Judge(self.scope, problem.assumptions, work)
        self.progress = Progress(whole)
        self.numbers = count(1000)
        self.places: dict[str, int] = {}  # of the definitions in force
        self.before: _Chain | None = None  # that a line which begins with "=" goes on with
        self.chain = _Chain()
        self.pending: list[tuple[int, Read, Read, str]] = []  # claims that want a definition
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
                self.before = _Chain(last=Read(links[0], self.sides(links[0])))
            return
        if start == len(links):
            return
        chain = self.chain
        left = chain.last or Read(links[start], self.sides(links[start]))
        chain.root = chain.root or left
        follows: int | None = None
        for link in links[start + 1 : start + MOST]:
            if not link.latex:
                continue
            right = Read(link, self.sides(link))
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
        return self.judge.agree(left, right, self.chain.anti)

    def _judge(self, left: Read, right: Read, lead: str) -> Judged:
        judged = self.judge.judge(left, right, lead, self.chain.anti)
        self.chain.anti = judged.anti
        return judged

    def _claim(
        self,
        statement: Statement,
        left: Read,
        right: Read,
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

    def _with(self, claim: Claim, judged: Judged) -> Claim:
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
            with suppress(*FAULTS):
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
