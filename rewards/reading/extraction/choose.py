"""The answer among the formulas of a text without boxes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

from .boxed.content import inside
from .case_lists import with_conditions
from .clean import clean, with_clean_ends
from .judge import ExtractionGoal, JudgedChain, Kind, defines, definition, has_integral, is_value
from .result import Extraction, nothing
from .spans import (
    LONGEST_LINE,
    Span,
    bare_answers,
    bare_spans,
    bracketed,
    has_prose,
    items_before,
    listed,
    restored,
    spans,
    where_behind,
    without_cut_repetition,
)
from .statements import Chain, chains
from .words.leads import (
    FORMULA,
    MENTION,
    Lead,
    asks,
    check_fails,
    denied_after,
    first_check,
    in_remark,
    is_remark,
    read_lead,
)
from .words.tables import patterns
from .words.vocabulary import has_only_units

#: Only so many characters and formulas at the end of a text are searched, to bound the work. In
#: `responses.json` the answer is at most 190 characters before the end, and a response has at most
#: nine formulas. tests/rewards/reading/extraction/test_bounds.py measures this and what follows.
TAIL = 20_000
MAX_FORMULAS = 256  # 16 change no answer of the corpora (tests/mutation/constants.py)
#: Most characters and formulas that a sentence is followed back over: the longest sentence before a
#: formula has 197 characters, and 99 of 100 have three formulas or fewer.
_REACH = 240
_FORMULAS_BACK = 5  # 3 or 10 change no answer of the corpora (tests/mutation/constants.py)
_NAMED: Final = Lead(announced=True, named=True, concluded=True)
#: Shorter lines are a symbol or a number, with dollar signs: "$x$".
_SHORTEST_FORMULA = 4


def from_formulas(text: str, goal: ExtractionGoal) -> Extraction:
    """Find the answer in a text without boxes. The text may be a passage marked as the answer."""
    if ("<" in text or "[" in text) and (tagged := list(patterns.answer_tag.finditer(text))):
        close = f"{tagged[-1][0][0]}/"  # </answer>, [/ANSWER]
        return _called_answer(text[tagged[-1].end() :].partition(close)[0], goal)
    if 'nswer"' in text or "nswer'" in text:
        fields = list(patterns.answer_field.finditer(text[-TAIL:]))
        if fields:
            return _json_answer(fields[-1], goal)
    line = text.strip()
    if line[:1] == "*" and (emphasised := patterns.emphasis.fullmatch(line)):
        line = emphasised[2]
    if patterns.lone_symbol.fullmatch(line):
        return Extraction(line.strip("$"), "bare")
    if (
        _SHORTEST_FORMULA <= len(line) <= LONGEST_LINE
        and patterns.only_a_formula.fullmatch(line)
        and patterns.varies.search(line)
        and not has_prose(line)
    ):
        layout = "**" in line or "mathrm" in line or "operatorname" in line
        if formula := clean(line) if layout else with_clean_ends(line):  # none in "\\,\\,"
            return Extraction(formula, "bare")
    return _search(text, goal)


def _json_answer(field: re.Match[str], goal: ExtractionGoal) -> Extraction:
    """Extract the value of the JSON entry "answer". The value's backslashes may be doubled."""
    value = field["number"] or (field["text"] or field["quoted"] or "").replace('\\"', '"').replace(
        "\t", "\\t"
    )
    if "\\" in value and not patterns.single_backslash.search(value):
        value = value.replace("\\\\", "\\")
    extraction = _called_answer(value, goal)
    as_box = inside(value)
    if extraction.answer is None and as_box.answer is not None:
        return replace(as_box, source="final_answer")
    return extraction


def _called_answer(text: str, goal: ExtractionGoal) -> Extraction:
    extraction = _search(text, goal)
    return extraction if extraction.answer is None else replace(extraction, source="final_answer")


def _search(text: str, goal: ExtractionGoal) -> Extraction:
    if len(text) > TAIL:
        line = text.find("\n", len(text) - TAIL)
        text = text[line + 1 if line >= 0 else len(text) - TAIL :]
    text = restored(without_cut_repetition(text))
    formulas = with_conditions(text, spans(text)[-MAX_FORMULAS:])
    chosen = None
    if formulas:
        chosen = _choose(_FormulaReader(text, formulas, goal))
        settled = formulas[chosen.index].end if chosen and chosen.settled else 0
        if bare := bare_answers(text, formulas, settled)[-MAX_FORMULAS:]:
            formulas = sorted(formulas + bare, key=lambda span: span.start)
            chosen = _choose(_FormulaReader(text, formulas, goal))
    if chosen is None:
        chosen = _choose(_FormulaReader(text, bare_spans(text, 0, len(text))[-MAX_FORMULAS:], goal))
    if chosen is None and goal.asks_value and not has_prose(text):
        return _search(text, ExtractionGoal(goal.symbols))  # nothing but a formula that is no value
    return chosen.extraction() if chosen else nothing("no formula that could be the answer")


class _FormulaReader:
    """Reads the formulas of a text as chains ``a = b = c``, and the words before the chains."""

    def __init__(self, text: str, formulas: list[Span], goal: ExtractionGoal) -> None:
        self.text = text
        self.goal = goal
        self.formulas = formulas
        self._chains: dict[int, list[Chain]] = {}
        self._roots: dict[int, str] = {}
        self._check: int | None = None
        self._bracketed = bracketed(text, formulas)

    def chains(self, index: int) -> list[Chain]:
        if index not in self._chains:
            self._chains[index] = chains(self.formulas[index].latex)
        return self._chains[index]

    def root(self, index: int) -> str:
        """The left side of the equation before a continuation, or an empty text."""
        walked: list[int] = []
        root = ""
        for at in range(index, -1, -1):
            if at in self._roots:
                root = self._roots[at]
                break
            walked.append(at)
            statements = self.chains(at)
            first_link = statements[-1].links[0] if statements and at != index else ""
            if first_link.strip() and not (len(statements[-1].links) > 1 and defines(first_link)):
                root = first_link
                walked.pop()  # the root of that formula itself is an earlier one
                break
        self._roots.update(dict.fromkeys(walked, root))
        return root

    def statements(self, index: int) -> list[JudgedChain]:
        """The statements of a formula with their kinds. The last statement comes first."""
        judged: list[JudgedChain] = []
        formula_chains, goal = self.chains(index), self.goal
        if goal.asks_value:  # a name whose value stands beside is no variable: tau = 2 pi
            values = [name for name, value in self.definitions(index) if is_value(value, ())]
            goal = goal._replace(symbols=(*goal.symbols, *(n.lstrip("\\") for n in values)))
        for number in range(len(formula_chains) - 1, -1, -1):
            chain = formula_chains[number]
            is_near = chain.approximate and (chain.links[0].strip() or self.adjoins(index))
            if is_near or is_remark(chain.lead):
                continue
            root = None
            if not number and index and len(chain.links) > 1 and not chain.links[0].strip():
                root = self.root(index)
            statement = goal.judge(chain, root)
            if not chain.remark or not number or statement.has_constant:
                judged.append(statement)
        return judged

    def definitions(self, index: int) -> tuple[tuple[str, str], ...]:
        """The definitions in a formula, and in the next formula if "where" joins the two."""
        behind = where_behind(self.text, self.formulas, index)
        return tuple(filter(None, map(definition, [*self.chains(index), *chains(behind)])))

    def adjoins(self, index: int) -> bool:
        """Whether only units and punctuation separate a formula from the preceding formula."""
        gap = self.text[self.formulas[index - 1].end : self.formulas[index].start]
        return bool(index) and has_only_units(gap)

    def is_marked(self, index: int) -> bool:
        """Whether a formula has delimiters or ends the text, apart from units. 1734 is a year."""
        kind, _, _, end = self.formulas[index]
        return kind != "bare" or has_only_units(self.text[end:].strip("_`$"))

    def lead(self, index: int) -> tuple[Lead, bool]:
        """How a sentence introduces a formula, and whether the sentence asks for an integral."""
        text, formulas = self.text, self.formulas
        span = formulas[index]
        if denied_after(text, span.end) or index in self._bracketed:
            return Lead(denied=True), False
        behind = span.end, span.end + MENTION
        if patterns.mentions_previous.match(text, *behind):
            return Lead(soft=True), False
        named = patterns.names_previous.match(text, *behind)
        if not span.start and not self.chains(index)[0].lead:
            return _NAMED if named else Lead(), False
        sentence, is_asked = "", False
        for at in range(index, max(index - _FORMULAS_BACK, 0) - 1, -1):
            begin, end = formulas[at - 1].end if at else 0, formulas[at].start
            gap = text[max(begin, end - _REACH) : end]
            if at == index:
                gap = gap.rstrip(" \t\n*#_>-")
                is_asked = asks(gap)
            *earlier, ending = patterns.sentence_end.split(gap)
            sentence = ending + sentence
            ends = at and formulas[at - 1].latex.rstrip()[-1:] == "."
            if earlier or ends or end - begin > _REACH:
                break
            sentence = FORMULA + sentence
        own_chains = self.chains(index)
        if own_chains:
            sentence += f" {own_chains[0].lead}"
            sentence += "" if own_chains[0].links[0].strip() else " equals"  # "the sum = 2"
        lead = read_lead(sentence, self.goal.asks_derivative)
        if not lead.named and not lead.denied and in_remark(text, span.start, sentence):
            return lead._replace(announced=False, concluded=False, remark=True), is_asked
        return (_NAMED, False) if named else (lead, is_asked)

    def names_unknown(self, index: int) -> bool:
        """Whether a formula is an equation for a symbol of the problem, such as ``y = 2e^t``."""
        links = self.chains(index)[-1].links
        return len(links) > 1 and clean(links[0]).partition("(")[0] in self.goal.symbols

    def checked(self, index: int) -> bool:
        """Whether the formula is in a check or an explanation after the answer.

        The caller must begin with the last formula. The first call searches the text for a check,
        and the calls for earlier formulas use the result of this search.
        """
        start = self.formulas[index].start
        if self._check is None:
            self._check = first_check(self.text, start, self.goal.asks_derivative)
        return self._check < start and not check_fails(self.text, self._check, start)


@dataclass(slots=True, eq=False)
class _Candidate:
    """A candidate for the answer: a formula."""

    reader: _FormulaReader
    index: int
    statement: JudgedChain
    announced: bool
    passed: tuple[str, ...]  # why later formulas were rejected
    stated: bool = False  # the value of something, which need not be what is asked for
    settled: bool = False  # stated as the answer, and no remark, number or side of an equation

    def extraction(self) -> Extraction:
        span = self.reader.formulas[self.index]
        source = "inline" if span.kind == "code" else span.kind
        notes = [f"passed over {reason}" for reason in dict.fromkeys(self.passed)]
        if self.statement.links > 1:
            notes.insert(0, f"a chain of {self.statement.links} links")
        answer = self._whole()
        # Where the formula is the whole text, the hyphen is a minus.
        bullet = span.kind == "bare" and answer.startswith("- ") and span.start > 0
        return Extraction(
            answer,
            "final_answer" if self.announced else source,
            tuple(notes),
            self._alternatives(),
            self.statement.steps,
            self.reader.definitions(self.index),
            answer[2:] if bullet else "",
            unsolved=self.statement.unsolved,
        )

    def _whole(self) -> str:
        """The text of the answer. If a sum is split over several displays, the terms are joined."""
        reader, answer = self.reader, self.statement.answer
        for at in range(self.index, 0, -1):
            formula_chains = reader.chains(at)
            preceding, current = reader.formulas[at - 1], reader.formulas[at]
            if (
                len(formula_chains) != 1
                or len(formula_chains[0].links) != 1
                or reader.text[preceding.end : current.start].strip()
                or not (answer.startswith("+") or preceding.latex.rstrip().endswith(("+", "-")))
                or not reader.chains(at - 1)
            ):
                break
            answer = f"{clean(reader.chains(at - 1)[-1].links[-1])} {answer}"
        return answer

    def _alternatives(self) -> tuple[str, ...]:
        """Further answers, offered by the text after "or" or on the same line."""
        reader, index = self.reader, self.index
        span = reader.formulas[index]
        offered = [
            statement
            for at in listed(reader.text, reader.formulas, index, reader.goal.asks_value)
            for statement in reader.statements(at)[:1]
        ]
        offered += [
            statement
            for at in items_before(reader.text, reader.formulas, index)
            for statement in reader.statements(at)
            if statement.links == 1 and statement.has_constant  # an equation is a step
            if not reader.goal.is_foreign(statement.answer)
        ]
        formula_chains = reader.chains(index)
        if len(formula_chains) > 1:
            rows = "\\\\" in span.latex
            for number, chain in enumerate(formula_chains[1:]):
                if chain.alternative or not rows:
                    preceding = reader.goal.judge(formula_chains[number])
                    offered += [preceding] if chain.alternative or preceding.has_constant else []
        least = Kind.LONE if reader.goal.asks_value else Kind.PLAIN
        answers = dict.fromkeys(judged.answer for judged in offered if judged.kind >= least)
        answers.pop(self.statement.answer, None)
        return tuple(answers)


# --- Which formula is the answer ------------------------------------------------------------------


#: What a formula may be to its text, in the order of preference, each with the reason.
STANDINGS: Final = {
    "overriding": "a plain formula behind the answer that corrects or evaluates it",
    "answer": "the search ends here",
    "doubtful": "a recalled formula or a rule in the form of an answer, if no expression follows",
    "plain": "an expression",
    "explained": "a check or an explanation has the form of an answer, and may repeat it",
    "identity": "one side of an equation",
    "remark": "what is recalled, used, checked or defined: better than none",
    "foreign": "a formula about something else: better than none",
    "number": "a lone number: better than none",
    "aside": "a lone number in a remark, a rule or a check: better than none",
}


class JudgedFormula(NamedTuple):
    """The properties of a formula and of the words around it, as used by the rules in `RULES`."""

    kind: Kind
    announced: bool
    concluded: bool
    soft: bool
    checked: bool
    doubted: bool  # recalled, used as a rule, checked, or asked about
    display: bool
    foreign: bool  # in other letters than the problem's
    number: bool

    @property
    def strong(self) -> bool:
        """Whether the formula has the form of an answer, or is called the answer."""
        return self.kind is Kind.STRONG or self.announced


class Rule(NamedTuple):
    """A condition, and the standings (`STANDINGS`) of the formulas that satisfy the condition."""

    reason: str
    holds: Callable[[JudgedFormula], bool]
    standings: tuple[str, ...]


#: The table of docs/verifier.md, "Which formula is the answer"; a test compares the two.
RULES: Final = (
    Rule("has other letters than the problem", lambda formula: formula.foreign, ("foreign",)),
    Rule(
        "a lone symbol or number that is called the answer",
        lambda formula: formula.kind is Kind.LONE and formula.announced and not formula.doubted,
        ("overriding", "plain"),
    ),
    Rule(
        "any other lone number, doubted",
        lambda formula: formula.kind is Kind.LONE and formula.number and formula.doubted,
        ("aside",),
    ),
    Rule(
        "any other lone number",
        lambda formula: formula.kind is Kind.LONE and formula.number,
        ("number",),
    ),
    Rule("any other lone symbol", lambda formula: formula.kind is Kind.LONE, ()),
    Rule(
        "strong or announced, and not doubted",
        lambda formula: formula.strong and not formula.doubted,
        ("answer",),
    ),
    Rule(
        "strong or announced, in a check or an explanation",
        lambda formula: formula.strong and formula.checked,
        ("explained",),
    ),
    Rule("strong or announced, and doubted", lambda formula: formula.strong, ("doubtful",)),
    Rule(
        "doubted, or led by words such as where, let, by",
        lambda formula: formula.doubted or formula.soft,
        ("remark",),
    ),
    Rule(
        "an equation of two expressions, concluded, in a display",
        lambda formula: formula.kind is Kind.IDENTITY and formula.concluded and formula.display,
        ("overriding", "plain", "identity"),
    ),
    Rule(
        "an equation of two expressions, concluded",
        lambda formula: formula.kind is Kind.IDENTITY and formula.concluded,
        ("plain", "identity"),
    ),
    Rule(
        "any other equation of two expressions",
        lambda formula: formula.kind is Kind.IDENTITY,
        ("identity",),
    ),
    Rule(
        "an expression, concluded or in a display",
        lambda formula: formula.concluded or formula.display,
        ("overriding", "plain"),
    ),
    Rule("any other expression", lambda formula: True, ("plain",)),
)
#: The notes name at most so many formulas that were passed over, so that a note stays readable.
_MOST_NOTES = 4


@cache  # of at most 1,280 arguments
def standings_of(kind: Kind, *facts: bool) -> tuple[str, ...]:
    """The standings (`STANDINGS`) that the first matching rule of `RULES` gives a formula."""
    judged = JudgedFormula(kind, *facts)
    return next(rule.standings for rule in RULES if rule.holds(judged))


def _choose(reader: _FormulaReader) -> _Candidate | None:
    """The answer by `RULES` and `STANDINGS`, or None if no formula is an answer."""
    by_standing: dict[str, _Candidate] = {}
    passed: tuple[str, ...] = ()
    for index in range(len(reader.formulas) - 1, -1, -1):
        statements = reader.statements(index)
        best = next(
            (statement for statement in statements if statement.kind > Kind.NO_ANSWER), None
        )
        if best is None:
            passed += tuple(statement.reason for statement in statements[:1])
            continue
        lead, is_asked = reader.lead(index)
        if lead.denied:
            passed += ("a formula that the text rejects",)
            continue
        if lead.soft and best.valued:
            passed += ("a value under a condition",)  # "when x = 1, y = 2"
            continue
        stated = lead.stated and best.kind is Kind.LONE
        candidate = _Candidate(reader, index, best, lead.announced, passed[:_MOST_NOTES], stated)
        # Of the formulas with the same standing, the last one of the text counts.
        for standing in _standings(candidate, lead, is_asked):
            latest = by_standing.setdefault(standing, candidate)
            if latest.stated and candidate.announced:
                by_standing[standing] = candidate
        if "answer" in by_standing:
            chosen = by_standing["answer"]
            later = by_standing.get("overriding", chosen)
            chosen = chosen if later.stated and chosen.announced else later
            chosen.settled = True
            return chosen
    by_standing.pop("overriding", None)  # there is nothing to override
    doubtful, plain = by_standing.get("doubtful"), by_standing.get("plain")
    if doubtful and plain and plain.index > doubtful.index:
        del by_standing["doubtful"]
    standing = next((standing for standing in STANDINGS if standing in by_standing), "")
    if standing:
        by_standing[standing].settled = standing == "plain"
    return by_standing.get(standing)


def _standings(candidate: _Candidate, lead: Lead, is_asked: bool) -> tuple[str, ...]:
    reader, index, best = candidate.reader, candidate.index, candidate.statement
    checked = lead.remark or (not lead.named and reader.checked(index))
    lone = best.kind is Kind.LONE
    display = reader.formulas[index].kind == "display"
    # A number is a usual value, so that a conclusion is enough to call the number the answer.
    is_named = lead.announced or (lone and reader.goal.asks_value and (lead.concluded or display))
    return standings_of(
        best.kind,
        is_named and not lead.soft and not (lone and has_integral(best.answer)),
        lead.concluded,
        lead.soft,
        checked,
        lead.doubted or checked or (is_asked and not best.has_constant),
        display,
        not lone and not reader.names_unknown(index) and reader.goal.is_foreign(best.answer),
        lone
        and patterns.called_number.fullmatch(best.answer) is not None
        and reader.is_marked(index),
    )
