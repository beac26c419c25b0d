"""The reader of a solution: statements become judged claims and definitions."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count

from ...reading.expression.linear import NotLinearError
from ...verdict import Status, Verdict
from .course.subjects import Subject
from .definitions import meaning_of, redefine, relates_variables
from .extents import NotReadError
from .judging.by_parts import Parts
from .judging.context import EquationChain, in_context
from .judging.equality import Finding
from .judging.readings import FAULTS, UNKNOWN, Judge, Judged, Read
from .judging.work import Work
from .operations import Derivative, Differential, Side
from .points import Points, bound_variable, conditions_of
from .progress import Progress
from .result import Claim, Definition, Judgement
from .scope import UNRELATED, Range, Scope
from .sides import AT, CALL, read_sides, symbol_name
from .substitution import free_symbols, substituted
from .text.letters import assumptions_of, letters_of
from .text.statements import MAX_STATEMENTS, Link, Statement

#: Claims that may wait for a definition, and chains that a line may go on with: of a remark, of the
#: substitution before it, and of the formula before both.
REMEMBERED, CHAINS = 8, 3


class Reader:
    """Reads the statements of a solution in order, and collects the judged claims in ``claims``."""

    def __init__(self, subject: Subject, work: Work) -> None:
        self.problem_integral = integral = subject.integral
        self.scope = Scope(
            subject.variable,
            subject.symbols,
            {name: value for name, (_, value) in subject.values.items()},
            functions=subject.functions,
            integer_variables=subject.counted,
            flow=subject.flow,
            course=subject.course,
        )
        if integral is not None:
            bound_variable(self.scope, integral)
        self.scope.ranges |= subject.ranges
        self.partial_sums = subject.partial_sums
        self.points = Points()
        self.conditions: dict[int, dict[str, Range] | None] = {}  # by the number of a sentence
        self.claims: list[Claim] = []
        self.definitions: list[Definition] = []
        self.assumptions = dict(subject.assumptions)  # of letters
        self.judge = Judge(self.scope, self.assumptions, work, subject.flow)
        self.progress, self.by_parts = Progress(integral), Parts(integral)
        self.symbol_numbers = count(1000)
        self.definition_indices: dict[str, int] = {}  # of the definitions in force
        # A line that begins with "=" continues the first chain, a display the second. If the claim
        # is then wrong, the line may continue a recent chain.
        self.continued_chain: EquationChain | None = None
        self.displayed_chain: EquationChain | None = None
        self.recent_chains: list[EquationChain] = []
        self.chain = EquationChain()
        self.pending: list[tuple[int, Read, Read, str]] = []  # claims that await a definition
        self.has_doubtful_definition = False  # a definition that may be a wrong claim
        self.equations: list[tuple[int, tuple[Side, Side]]] = []  # that may be solved later
        self.conditional_sentence = -1  # a sentence with "if x = 0"
        self.last_formula: Link | None = None  # the last formula, if it has no sign of equality
        self.latest_claim = 0  # index of the first claim of the latest statement
        self.attempt_start = 0  # index of the first claim of the current attempt
        self.answer_statements: list[Statement] = []  # that may hold the final answer
        self.readings_of_links: dict[tuple[Hashable, ...], list[Side]] = {}  # of a statement

    def take_all(self, statements: Iterable[Statement]) -> None:
        """Read all conditions first: some follow their formulas. Then read the statements."""
        all_statements, scope = list(statements), self.scope
        scope.indices, scope.letters, scope.vanishing = letters_of(all_statements)
        self.conditions, named = conditions_of(all_statements, scope.names)
        assumptions = assumptions_of(all_statements)
        self.conditions |= {
            sentence: None for sentence, stated in assumptions.items() if stated is None
        }
        ranges = scope.ranges | named
        for statement in all_statements:
            scope.ranges = ranges | (self.conditions.get(statement.sentence) or {})
            self.assumptions.update(assumptions.get(statement.sentence) or {})
            with suppress(*FAULTS):  # what no rule foresaw is no claim, and no fault of the caller
                self.take(statement)
        scope.ranges = ranges
        with suppress(*FAULTS):
            self.claims = self.by_parts.judged(self.claims, self.judge)

    def take(self, statement: Statement) -> None:
        """Judge the claims and record the definitions of a statement."""
        self.readings_of_links.clear()
        self._turn(statement)
        links, start, settled = self._opened(statement)
        if len(links) == 1:
            self.last_formula = links[0]
            if statement.displayed or "int" in links[0].latex or "∫" in links[0].latex:
                self._go_on(
                    EquationChain(last_link=Read(links[0], self.sides(links[0]))), statement
                )
        unasserted = statement.supposed or (statement.aside and not settled)
        if len(links) > 1 and start < len(links) and not unasserted:
            self._take_chain(statement, links, start, settled)

    def _turn(self, statement: Statement) -> None:
        """Withdraw the retracted claims. Record where another attempt begins."""
        match statement.gives_up:
            case "statement":
                self._withdraw(self.latest_claim)
            case "try" | "all":
                self._withdraw(self.attempt_start if statement.gives_up == "try" else 0)
                self.attempt_start = len(self.claims)
        if statement.begins_try:
            self.attempt_start = len(self.claims)

    def _opened(self, statement: Statement) -> tuple[list[Link], int, str]:
        """Return the links of a chain, the index of the first link to judge, and a name.

        If the chain states the value of v after ``dv = ..``, the name is v. Otherwise it is "".
        """
        links = statement.links
        continued = (
            self.displayed_chain
            if statement.displayed and self.displayed_chain
            else self.continued_chain
        )
        unread = statement.condition or len(self.claims) >= MAX_STATEMENTS
        if statement.approximate and not unread:
            self._approximate(statement, links)
        elif not unread:
            self.answer_statements.append(statement)
        self.last_formula, self.chain = None, EquationChain()
        if unread:
            return [], 0, ""
        if links[0].latex:
            defines = len(links) > 1 and not statement.approximate
            return (links, *(self._define(statement, links) if defines else (0, "")))
        if continued is not None and continued.last_link is not None and not statement.named:
            self.chain = continued
            return [continued.last_link.link, *links[1:]], 0, ""
        return links[1:], 0, ""

    def _take_chain(
        self, statement: Statement, links: Sequence[Link], start: int, settled: str
    ) -> None:
        """Judge the claims of a chain of equalities."""
        self.latest_claim = len(self.claims)
        chain = self.chain
        lhs = chain.last_link or Read(links[start], self.sides(links[start]))
        chain.first_link = chain.first_link or lhs
        follows: int | None = None
        for link in links[start + 1 : start + MAX_STATEMENTS]:
            if not link.latex:
                continue
            rhs = Read(link, self.sides(link))
            start_link = link if lhs is chain.last_link or follows is not None else lhs.link
            follows = self._claim(statement, lhs, rhs, start_link, follows)
            # What is not read is passed over: a = ? = b claims a = b.
            if rhs.sides or not lhs.sides:
                lhs = rhs
        # A name in front of a chain gets the closed form at the end of the chain.
        if self.scope.course and lhs.link is not links[0] and lhs.sides:
            redefine(links[0].latex, lhs.sides[0], self.scope)
        if settled and lhs.sides:
            self._keep(settled, lhs.sides[0], links)
            self.by_parts.settle(lhs.sides[0])
        differential = any(side.has(Differential) for side in lhs.sides[:1])
        # A short definition is no chain, unless it stands alone in a display. The same holds of
        # what follows from a definition, as x = u - 1 after u = x + 1.
        short = start or relates_variables([chain.first_link.sides, lhs.sides], self.scope)
        short = short and len(links) == len(("left", "right")) and not statement.alone
        chain = self.chain
        chain.last_link = lhs
        if not (settled or differential or short):
            self._go_on(chain, statement)

    def _go_on(self, chain: EquationChain, statement: Statement) -> None:
        """Record a chain for later lines that begin with "=" and continue the chain."""
        if statement.aside or statement.supposed:
            return
        self.continued_chain, self.recent_chains = chain, [chain, *self.recent_chains[: CHAINS - 1]]
        if statement.displayed:
            self.displayed_chain = chain

    def _withdraw(self, start: int) -> None:
        """Mark wrong claims as withdrawn, beginning at the index ``start``."""
        self.by_parts.drop(start)
        for index in range(start, len(self.claims)):
            claim = self.claims[index]
            if claim.judgement is Judgement.INCORRECT:
                detail, unchecked = "the text gives it up", Judgement.UNCHECKED
                claim = replace(claim, judgement=unchecked, detail=detail, withdrawn=True)
                self.claims[index] = claim

    def sides(self, link: Link) -> list[Side]:
        """The readings of a link, the likeliest first. Readings are cached."""
        scope = self.scope
        names, applied = frozenset(scope.names), (scope.functions, scope.applied)
        functions = (*applied[0].items(), *applied[1].items())
        key: tuple[Hashable, ...] = (link.latex, names, functions)
        sides = self.readings_of_links.get(key)
        if sides is None:
            options = scope.variable, self.symbol_numbers
            sides = read_sides(link.latex, names, applied, *options, course=bool(scope.course))
            self.readings_of_links[key] = sides
            self.by_parts.see(link.latex, sides)
        return sides

    def _define(self, statement: Statement, links: Sequence[Link]) -> tuple[int, str]:
        """Record a definition. The result is as for `_opened`, without the links."""
        scope = self.scope
        at = AT.fullmatch(links[0].latex)
        if at and symbol_name(at["name"]) in scope.introduced:  # u(1) = .. after x = \tan u
            self._point_of_call(statement, at, links)
            return len(links), ""
        call = CALL.fullmatch(links[0].latex)
        called = symbol_name(call["name"]) if call else ""
        if call and called not in scope.symbols:
            scope.functions.setdefault(called, call["of"])
        lefts, rights = self.sides(links[0]), self.sides(links[1])
        passed = 0  # links that are not read: s(t) = ? = 2t says what s is
        while lefts and not rights and passed + 2 < len(links):
            passed += 1
            rights = self.sides(links[1 + passed])
        if not lefts or not rights:
            return 0, ""
        all_links, links = links, [links[0], *links[1 + passed :]]
        try:
            meaning = meaning_of(
                lefts[0], rights[0], statement.lead, scope, self.problem_integral, self._agree
            )
            if meaning.act == "point" and meaning.value is not None:
                self._point(statement, meaning.name, meaning.value, links)
                return passed + (1 if len(links) > len(("left", "right")) else len(links)), ""
            if meaning.act == "define" and meaning.name not in scope.values and not passed:
                self._partial_sum(statement, meaning.name, links)
            if meaning.value is not None:
                self.has_doubtful_definition |= meaning.tried
                if meaning.act == "claim":
                    scope.assumed.add(meaning.name)
                else:
                    scope.assumed.discard(meaning.name)
                if call and called == meaning.name and meaning.act == "define":
                    scope.functions[called] = call["of"]
                self._keep(meaning.name, meaning.value, links)
                if lefts[0].has(Differential, Derivative):
                    scope.chosen.add(meaning.name)
                    about = self.definitions, len(self.claims), statement.displayed
                    self.by_parts.choose(meaning.name, scope, *about)
                else:
                    scope.chosen.discard(meaning.name)
        except (NotReadError, NotLinearError):
            return 0, ""
        if meaning.act == "claim" and (statement.supposed or statement.aside):
            return passed + len(links), ""
        if meaning.act == "nothing":
            return passed + len(links), ""
        start = (
            1 if any("\\sum" in link.latex for link in all_links[1 : 1 + passed]) else 1 + passed
        )
        return start * (meaning.act == "define"), meaning.name if meaning.act == "settle" else ""

    def _partial_sum(self, statement: Statement, name: str, links: Sequence[Link]) -> None:
        """Judge the first formula for ``S_N``, the partial sum of the question's series."""
        letter = name.partition("_")[2]
        text = self.partial_sums(name[:1], letter) if self.partial_sums and letter else ""
        if not text or links[0].latex.strip().replace("{", "").replace("}", "") != name:
            return
        rhs = Read(links[1], self.sides(links[1]))
        judged = self.judge.partial_sum(text, rhs, letter, self.sides)
        if judged is not None:
            span = name, links[1].latex, links[0].start, links[1].end, statement.displayed
            self.claims.append(Claim("sum", judged.judgement, *span, witness=judged.witness))

    def _keep(self, name: str, value: Side, links: Sequence[Link]) -> None:
        if name in self.scope.values and name not in self.scope.chosen:
            self.scope.earlier[name] = self.scope.values[name]
        self.scope.define(name, value)
        if (index := name.partition("_")[2]) in self.scope.applied.values():
            self.assumptions.setdefault(index, "integer")
        if self.continued_chain is not None:
            self.continued_chain.proven = None  # its symbols may have another meaning now
        self.definition_indices[name] = len(self.definitions)
        self.definitions.append(Definition(name, links[1].latex, links[0].start, links[1].end))
        if self.pending:
            self._judge_again(name)

    # --- points ---

    def _point_of_call(
        self, statement: Statement, call: re.Match[str], links: Sequence[Link]
    ) -> None:
        ends = [self.sides(Link(call["at"], 0, 0)), self.sides(links[1])]
        if all(ends):
            at, value = (sides[0] for sides in ends)
            self.points.add(statement.sentence, self.scope.variable, at.expression)
            self._point(statement, symbol_name(call["name"]), value, links)

    def _point(self, statement: Statement, name: str, value: Side, links: Sequence[Link]) -> None:
        """Record and judge the value of a variable at a point, as in "if x = 0, then u = 1"."""
        scope = self.scope
        if name in scope.introduced or name in scope.moving():
            bound = statement.follows or statement.sentence == self.conditional_sentence
            judgement = self.points.judge(
                statement.sentence, bound, name, value, self.scope, self.judge.equal
            )
            # One that fits in passing says as little as a definition.
            if judgement is Judgement.INCORRECT or (
                judgement is Judgement.CORRECT and statement.displayed
            ):
                lhs, rhs = links[0], links[1]
                span = lhs.latex, rhs.latex, lhs.start, rhs.end, statement.displayed
                self.claims.append(Claim("substitution", judgement, *span))
        self.points.add(statement.sentence, name, value.expression)
        if statement.supposed:
            self.conditional_sentence = statement.sentence
        self._solve(name, value)

    def _solve(self, name: str, value: Side) -> None:
        """If ``name = value`` solves an earlier equation, mark that equation as unchecked."""
        for index, pair in self.equations[-REMEMBERED:]:
            numeric = any(not free_symbols(side) for side in pair)
            near = index >= self.latest_claim
            try:
                lhs, rhs = (substituted(side, {name: value}) for side in pair)
            except NotReadError:  # it grows too large
                continue
            if (numeric or near) and self.judge.equal(lhs, rhs) is Judgement.CORRECT:
                detail = "an equation that is solved"
                unchecked = Judgement.UNCHECKED
                self.claims[index] = replace(
                    self.claims[index], judgement=unchecked, witness=None, detail=detail
                )

    def _approximate(self, statement: Statement, links: Sequence[Link]) -> None:
        """Judge whether the values before and after an approximation sign are close."""
        chain = self.chain
        if self.last_formula is not None:
            chain = EquationChain(last_link=Read(self.last_formula, self.sides(self.last_formula)))
        unasserted = statement.supposed or statement.aside or statement.named
        if chain.last_link is None or not links[0].latex or unasserted:
            return
        rhs = Read(links[0], self.sides(links[0]))
        if any(free_symbols(side) & self.scope.variables for side in chain.last_link.sides):
            return  # a point
        finding = self.judge.near(chain.last_link, rhs)
        lhs = chain.last_link.link
        span = lhs.latex, links[0].latex, lhs.start, links[0].end, statement.displayed
        detail, witness = finding.detail, finding.witness
        claim = Claim("arithmetic", finding.judgement, *span, witness=witness, detail=detail)
        self.claims.append(claim)

    # --- judging ---

    def _agree(self, lhs: Side, rhs: Side) -> bool:
        return self.judge.agree(lhs, rhs, self.chain.anti)

    def _judge(self, lhs: Read, rhs: Read, lead: str) -> Judged:
        judged = self.judge.judge(lhs, rhs, lead, self.chain.anti)
        earlier = self.scope.earlier.keys() & judged.used
        if earlier and judged.finding.judgement is Judgement.INCORRECT:
            # "First put u = .., then u = ..": what follows may be about the first.
            values, self.scope.values = self.scope.values, {**self.scope.values}
            self.scope.values |= {name: self.scope.earlier[name] for name in earlier}
            judged_earlier = self.judge.judge(lhs, rhs, lead, self.chain.anti)
            self.scope.values = values
            if judged_earlier.finding.judgement is Judgement.CORRECT:
                judged = replace(judged_earlier, earns=False)
        self.chain.anti = judged.anti
        return judged

    def _claim(
        self,
        statement: Statement,
        lhs: Read,
        rhs: Read,
        start_link: Link,
        follows: int | None,
    ) -> int:
        """Judge the equality of two links, and record the claim. Return the claim's index."""
        judged = self._judge(lhs, rhs, statement.lead)
        if not statement.links[0].latex and statement.displayed and lhs is self.chain.last_link:
            lhs, judged = self._of_earlier_line(lhs, rhs, statement.lead, judged)
        judged = in_context(judged, statement, self.conditions, self.points, self.judge)
        root, unread = self.chain.first_link, judged.finding.judgement is Judgement.UNCHECKED
        if unread and root is not None and root is not lhs:
            # With a substitution that is not named, or a letter, a = ?(u) = b claims a = b.
            around = self._judge(root, rhs, statement.lead)
            if around.finding.judgement is not Judgement.UNCHECKED:
                judged = around
        # The root may be a sum to n: what says what n is, is not read as a formula.
        if unread and not (lhs.sides and rhs.sides and (root is None or root.sides)):
            for start in (lhs, root or lhs):
                at_numbers = self.judge.unread(start, rhs, statement.lead, self.sides)
                if at_numbers and at_numbers.finding.judgement is not Judgement.UNCHECKED:
                    judged = at_numbers
                    break
        elif unread:
            self.pending.append((len(self.claims), lhs, rhs, statement.lead))
        span = lhs.link.latex, rhs.link.latex, start_link.start, rhs.link.end
        claim = Claim("algebra", Judgement.UNCHECKED, *span, statement.displayed, follows=follows)
        claim = self._with(claim, judged)  # may replace the list of claims
        self.claims.append(claim)
        pair = judged.pair if judged.finding.judgement is Judgement.INCORRECT else None
        if pair is not None and not any(side.operations for side in pair):
            self.equations.append((len(self.claims) - 1, pair))
        return len(self.claims) - 1

    def _of_earlier_line(
        self, lhs: Read, rhs: Read, lead: str, judged: Judged
    ) -> tuple[Read, Judged]:
        """Let a line that begins with "=" continue the chain before a remark, if no other fits."""
        for chain in self.recent_chains if judged.finding.judgement is Judgement.INCORRECT else ():
            if chain.last_link is not None and chain is not self.chain:
                continuation = self.judge.judge(chain.last_link, rhs, lead, chain.anti)
                if continuation.finding.judgement is Judgement.CORRECT:
                    self.chain = chain
                    return chain.last_link, continuation
        return lhs, judged

    def _failed(self) -> bool:
        return self.has_doubtful_definition or any(claim.failed for claim in self.claims)

    def _with(self, claim: Claim, judged: Judged) -> Claim:
        """Add the judgement and the gain, a share of the progress, to a claim."""
        # Before the first wrong step, a right step earns progress, also as a step from the start
        # of the chain.
        finding, pair = judged.finding, judged.pair
        is_correct = finding.judgement is Judgement.CORRECT
        proven, self.chain.proven = self.chain.proven, pair if is_correct else None
        starts = [pair[0]] if pair and is_correct and judged.earns and not self._failed() else []
        if starts and pair and proven and proven[1] is pair[0]:
            self.chain.proven = proven[0], pair[1]
            starts.append(proven[0])
        gain = 0.0
        if finding.judgement is Judgement.INCORRECT and pair and not self._failed():
            self._void(pair[0], pair[1])
        for start in starts:
            with suppress(*FAULTS):
                gain += self.progress.gain(start, pair[1], self.scope) if pair else 0.0
        return replace(
            claim,
            kind="partial fractions" if finding.detail == UNKNOWN else judged.claim_kind,
            judgement=finding.judgement,
            definitions=tuple(
                sorted(
                    self.definition_indices[n] for n in judged.used if n in self.definition_indices
                )
            ),
            points=finding.points,
            witness=finding.witness,
            gain=gain,
            detail="" if finding.detail == UNKNOWN else finding.detail,
        )

    def _void(self, lhs: Side, rhs: Side) -> None:
        """Take all progress back if a wrong claim repeats the step of a right claim."""
        roots = self.chain.first_link.sides[:1] if self.chain.first_link else ()
        for start in (lhs, *roots):
            with suppress(*FAULTS):
                anew = len(roots) == 1 and roots[0] is lhs
                if self.progress.repeats(start, rhs, self.scope, anew=anew):
                    self.claims = [replace(claim, gain=0.0) for claim in self.claims]

    def _judge_again(self, name: str) -> None:
        """Judge the claims that await a definition of ``name``, as in "where u = x^2"."""
        waiting, self.pending = self.pending[-REMEMBERED:], []
        chain, self.chain = self.chain, EquationChain()
        for index, lhs, rhs, lead in waiting:
            unrelated = self.claims[index].detail.startswith(UNRELATED)
            concerned = any(name in free_symbols(side) for side in (*lhs.sides, *rhs.sides))
            judged = Judged(Finding(Judgement.UNCHECKED), "algebra", frozenset())
            if unrelated or concerned:
                # Of a letter that is said later only what fits is judged: it earns nothing.
                judged = replace(self._judge(lhs, rhs, lead), earns=unrelated)
            judgement = judged.finding.judgement
            if judgement is Judgement.CORRECT or (unrelated and judgement is Judgement.INCORRECT):
                self.claims[index] = self._with(self.claims[index], judged)
            else:
                self.pending.append((index, lhs, rhs, lead))
        self.chain = chain

    def settle(self, verdict: Verdict) -> None:
        """Take back all progress if a step states the integral but the answer is not right."""
        if verdict.status is not Status.CORRECT and self.progress.stated:
            self.claims = [replace(claim, gain=0.0) for claim in self.claims]
