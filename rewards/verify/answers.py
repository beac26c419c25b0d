"""The stages that all judges share: from completion to answer, and from decision to verdict."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from typing import Any, Final, TypedDict, TypeVarTuple

from ..arguments import ACCEPTANCES, Acceptance, check_choice, check_switches, check_text
from ..numeric.outcome import Outcome
from ..reading.expression.traversal import has_indeterminate, needs_worker, substitute, symbols_of
from ..reading.expression.tree import Expression, Symbol
from ..reading.extraction import extract
from ..reading.extraction.announced import FinalText, final_text
from ..reading.extraction.judge import Asks
from ..reading.extraction.words import convergence
from ..reading.extraction.words.leads import concludes
from ..reading.latex import (
    AlternativesError,
    NotClosedFormError,
    ReadError,
    Reading,
    read,
    readings,
    signed_infinity,
    to_latex,
)
from ..verdict import PROOFS, Evidence, Status, Verdict
from ..workers.child import in_worker
from ..workers.deadline import Deadline
from ..workers.errors import WorkerError
from ..workers.pool import DEFAULT_DEADLINE
from ..workers.verdicts import call_task, unpack, verdict_of

#: The end of a sentence in a completion.
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")


class AnswerKeywords(TypedDict, total=False):
    """The keyword arguments that all judges of answers have. `AnswerOptions` explains them."""

    strict: bool
    stop: Sequence[str]
    truncated: bool
    accept: Acceptance
    undecided_reward: float
    deadline: float | Deadline


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """The options that all judges of answers have.

    Attributes:
        strict: whether the answer must be in a box.
        stop: the prompt's stop strings. Text after the first stop string is ignored.
        truncated: whether the token limit cut the completion off.
        accept: what an acceptance needs: ``agreement`` at points, or a ``proof``.
        undecided_reward: the reward of an undecided answer.
        deadline: the limit of a worker process, in seconds of processor time. Without a worker
            process, an answer has no deadline.
        assumptions: assumptions on parameters. None if the problem cannot have parameters.

    """

    strict: bool = False
    stop: Sequence[str] = ()
    truncated: bool = False
    accept: Acceptance = "agreement"
    undecided_reward: float = 0.0
    deadline: float | Deadline = DEFAULT_DEADLINE
    assumptions: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        check_switches(strict=self.strict, truncated=self.truncated)
        check_choice("accept", self.accept, ACCEPTANCES)

    @classmethod
    def of(cls, keywords: Mapping[str, Any]) -> AnswerOptions:
        """Make the options from the keyword arguments of a judge. Other arguments are ignored."""
        named = (field_.name for field_ in fields(cls))
        return cls(**{name: keywords[name] for name in named if name in keywords})

    def keywords(self) -> dict[str, Any]:
        """The options by name, without the deadline. A worker receives them in this form."""
        names = {field_.name for field_ in fields(self)} - {"deadline", "assumptions"}
        keywords = {name: getattr(self, name) for name in names} | {"stop": list(self.stop)}
        return keywords | ({"assumptions": dict(self.assumptions)} if self.assumptions else {})


@dataclass(slots=True)
class ExtractedAnswer:
    """The final answer of a completion.

    A readable answer has ``readings``. An unreadable answer has a ``status`` instead.
    """

    text: str | None
    source: str
    notes: tuple[str, ...]
    alternatives: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    definitions: tuple[tuple[str, str], ...] = ()
    second: str = ""
    method: str = "balls"
    readings: Iterable[Reading] = ()
    status: Status | None = None
    detail: str = ""
    offset: int | None = None
    started: float = field(default_factory=time.perf_counter)
    completion: str = ""
    options: AnswerOptions = field(default_factory=AnswerOptions)

    @property
    def evidence(self) -> Evidence:
        """The evidence that is known before a decision: method, notes, source and time."""
        seconds = time.perf_counter() - self.started
        return Evidence(self.method, flags=self.notes, extracted_by=self.source, seconds=seconds)

    def verdict(
        self,
        status: Status,
        outcome: Outcome | None = None,
        reading: Reading | None = None,
        *,
        detail: str = "",
        flags: tuple[str, ...] = (),
    ) -> Verdict:
        """Turn an outcome into a verdict. ``reading`` is the judged reading of the answer."""
        outcome = outcome or Outcome(status, detail=detail or self.detail)
        if (
            self.options.accept == "proof"
            and status is Status.CORRECT
            and outcome.proof not in PROOFS
        ):
            status = Status.UNDECIDED
            outcome = replace(outcome, detail="the answer agrees, and is not proved")
        ambiguities = reading.ambiguities if reading else ()
        evidence = Evidence(
            method=self.method,
            reading=to_latex(reading.expression) if reading and ambiguities else "",
            points=outcome.points,
            digits=outcome.digits,
            coverage=outcome.coverage,
            witness=outcome.witness,
            flags=(*self.notes, *outcome.flags, *ambiguities, *flags),
            detail=outcome.detail,
            offset=self.offset,
            extracted_by=self.source,
            seconds=time.perf_counter() - self.started,
            proof=outcome.proof,
            rules=outcome.rules,
        )
        reward = 1.0 if status is Status.CORRECT else 0.0
        if status is Status.UNDECIDED:
            reward = self.options.undecided_reward
        return Verdict(status, reward, self.text, evidence)


class NeedsWorkerError(Exception):
    """The evaluation may run long in C code, and must run in a worker, which can be killed."""


def require_worker(slow: bool) -> None:
    """Raise `NeedsWorkerError` if the evaluation may be slow and this process is not a worker."""
    if slow and not in_worker():
        raise NeedsWorkerError


def find_answer(
    completion: str,
    options: AnswerOptions,
    *,
    method: str = "balls",
    symbols: Collection[str] = (),
    asks: Asks = "antiderivative",
) -> ExtractedAnswer:
    """Extract the final answer of a completion. `read_answer` adds the readings later.

    `extract` explains ``symbols`` and ``asks``.
    """
    check_text("completion", completion)
    started = time.perf_counter()
    extraction = extract(
        completion,
        strict=options.strict,
        stop=options.stop,
        truncated=options.truncated,
        symbols=symbols,
        asks=asks,
    )
    status = Status.NO_ANSWER if extraction.answer is None else None
    refused = extraction.refused
    if extraction.unsolved and extraction.unsolved not in symbols:
        refused = refused or f"an equation that is not solved for {extraction.unsolved}"
    return ExtractedAnswer(
        extraction.answer,
        extraction.source,
        extraction.notes,
        extraction.alternatives,
        extraction.steps,
        extraction.definitions,
        extraction.second,
        method=method,
        status=Status.UNPARSEABLE if refused and status is None else status,
        detail=refused,
        started=started,
        completion=completion,
        options=options,
    )


def read_answer(answer: ExtractedAnswer, symbols: Collection[str]) -> ExtractedAnswer:
    """Set the readings of an extracted answer, or the status if the LaTeX is unreadable.

    The first reading is made immediately. The other readings are made when the caller iterates over
    the readings.
    """
    if answer.text is None or answer.status is not None:
        return answer
    # An answer that gives a symbol of the problem another meaning belongs to another problem.
    if (
        answer.definitions
        and answer.source == "boxed"
        and (redefined := [n for n, value in answer.definitions if n in symbols and value != n])
    ):
        answer.status = Status.UNPARSEABLE
        answer.detail = f"the answer gives {redefined[0]} another meaning"
        return answer
    try:
        further = readings(answer.text, symbols=symbols)
        if answer.second:
            further = chain(further, _second_readings(answer.second, symbols))
        if answer.definitions:
            further = _defined(further, answer.definitions, symbols)
        answer.readings = chain((next(further),), further)
    except ReadError as error:
        answer.detail, answer.offset = str(error), error.offset
        if isinstance(error, NotClosedFormError):
            answer.status = Status.NOT_CLOSED_FORM
        elif isinstance(error, AlternativesError):
            answer.status = Status.INCORRECT
        else:
            answer.status = Status.UNPARSEABLE
    return answer


def _second_readings(text: str, symbols: Collection[str]) -> Iterator[Reading]:
    """Read an answer whose first hyphen is the bullet of a list. Yield the readings."""
    for reading in readings(text, symbols=symbols):
        yield Reading(reading.expression, (*reading.ambiguities, "bullet:second"))


def _defined(
    plain_readings: Iterator[Reading],
    definitions: Iterable[tuple[str, str]],
    symbols: Collection[str],
) -> Iterator[Reading]:
    """Replace symbols in readings by their definitions in the text, such as "where u = ...".

    The text cannot define the problem's own symbols. A symbol is not replaced inside another
    definition.
    """
    values: dict[str, Expression] = {}
    for name, text in definitions:
        try:
            symbol = read(name, symbols=symbols)[0].expression
            value = read(text, symbols=symbols)[0].expression
        except ReadError:
            continue
        if not isinstance(symbol, Symbol) or symbol.name in symbols:
            continue
        # A constant of integration that is named anew ("C = 2C_1") remains one.
        if symbol.name[:1] not in _CONSTANTS or not symbols_of(value).isdisjoint(symbols):
            values[symbol.name] = value
    for reading in plain_readings:
        expression = reading.expression
        for name in symbols_of(expression) & values.keys():
            expression = substitute(expression, name, values[name])
        if expression is not reading.expression:
            reading = Reading(expression, (*reading.ambiguities, "definition"))
        yield reading


def verify_in_worker(task: str, target: str, answer: ExtractedAnswer, **further: Any) -> Verdict:
    """Let a worker process compute the verdict. A worker that runs too long is killed.

    Args:
        task: the name of the workers' task.
        target: the problem, the integrand or the value with which the completion is compared.
        answer: the answer, with its completion and options.
        further: options that the judge has and `AnswerOptions` lacks.

    """
    options = {**answer.options.keywords(), **further}
    deadline = answer.options.deadline
    try:
        return unpack(call_task(task, answer.completion, target, options, deadline=deadline))
    except WorkerError as error:
        return verdict_of(error, answer.text, answer.evidence)


def _final(answer: ExtractedAnswer) -> FinalText:
    """The final text of a completion, before a side of an equation is chosen."""
    options = answer.options
    return final_text(
        answer.completion, strict=options.strict, stop=options.stop, truncated=options.truncated
    )


def stated_text(answer: ExtractedAnswer) -> str:
    """The text of an answer, with both sides of its equations and all alternatives.

    The formula in `ExtractedAnswer.text` is only one side of an equation.
    """
    boxed = _final(answer).formula
    if boxed is not None and answer.source == "boxed":
        return boxed
    alternatives = [f"\\text{{ or }} {alternative}" for alternative in answer.alternatives]
    return " ".join((" = ".join([*answer.steps, str(answer.text)]), *alternatives))


Judge = Callable[[ExtractedAnswer], Iterable[tuple[Outcome, Reading]]]
#: Yields the judges for the readings of a text as a question of the problem's kind, if it is one.
Questions = Callable[[str], Iterable[Callable[[Expression], Outcome]]]


def with_others(
    answer: ExtractedAnswer,
    outcome: Outcome,
    reading: Reading,
    judge: Judge,
    symbols: Collection[str],
    *,
    allowed: Expression | None = None,
    questions: Questions | None = None,
) -> Outcome:
    r"""Change the outcome of an answer to incorrect if the text also states a wrong answer.

    In "F or G", each alternative must be right. In the chain ``a = b = F``, each of the links a, b
    and F must be right. A link that is a question itself must have the answer F, as in
    ``2\int_0^1 8x\,dx = 8``. Other links with an operator, and links with symbols that the answer
    lacks, are steps of the solution and are not judged.

    Args:
        answer: the extracted answer.
        outcome: the outcome of the last link.
        reading: the reading of the last link.
        judge: a function that yields the outcome of each reading of an answer, with the reading.
        symbols: the problem's symbols.
        allowed: a link that may differ from the answer, such as the integrand at the beginning of a
            chain.
        questions: reads a link as a question.

    """
    if outcome.status is not Status.CORRECT or not (answer.alternatives or answer.steps):
        return outcome
    for text in answer.alternatives:
        alternative = read_answer(ExtractedAnswer(text, answer.source, ()), symbols)
        if (
            alternative.status is not None
            or best(judge(alternative))[0].status is not Status.CORRECT
        ):
            detail = f"the text also offers {text}, which is not right"
            return Outcome(Status.INCORRECT, points=outcome.points, detail=detail)
    names = {*symbols, *symbols_of(reading.expression), *_CONSTANTS}
    for text in answer.steps:
        step = read_answer(ExtractedAnswer(text, answer.source, ()), symbols)
        if step.status is None:
            judged, read_as = best(judge(step))
            is_wrong = (
                judged.status is Status.INCORRECT
                and read_as.expression != allowed
                and symbols_of(read_as.expression) <= names
            )
        else:
            asked = questions(text) if questions and step.status is Status.NOT_CLOSED_FORM else ()
            statuses = {decide(reading.expression).status for decide in asked}
            is_wrong = statuses == {Status.INCORRECT}
        if is_wrong:
            detail = f"the text also states {text}, which is not right"
            return Outcome(Status.INCORRECT, points=outcome.points, detail=detail)
    return outcome


def judged(
    answer: ExtractedAnswer,
    decide: Callable[[Expression], Outcome],
    symbols: Collection[str],
    *,
    slow: bool = False,
    questions: Questions | None = None,
) -> tuple[Outcome, Reading]:
    """Judge all readings of an answer. Return the outcome of the best reading, and the reading.

    A correct outcome becomes incorrect if the text also states a wrong answer (`with_others`).

    Args:
        answer: the answer, with readings.
        decide: a function from an expression to the outcome.
        symbols: the problem's symbols.
        slow: whether every answer to the problem must be decided in a worker process.
        questions: reads a link of a chain as a question.

    Raises:
        NeedsWorkerError: only a worker may decide.

    """

    def judge(stated: ExtractedAnswer) -> Iterator[tuple[Outcome, Reading]]:
        for reading in stated.readings:
            require_worker(slow or needs_worker(reading.expression))
            yield decide(reading.expression), reading

    outcome, reading = best(judge(answer))
    if outcome.status is Status.CORRECT and has_indeterminate(reading.expression):
        outcome = Outcome(Status.INCORRECT, detail="an indeterminate form")
    return with_others(answer, outcome, reading, judge, symbols, questions=questions), reading


def with_strangers(answer: Expression, symbols: Collection[str]) -> Outcome | None:
    """An incorrect outcome if the answer has symbols that the problem lacks; else None."""
    extra = sorted(symbols_of(answer) - set(symbols))
    if not extra:
        return None
    detail = f"symbols that the problem lacks: {', '.join(extra)}"
    return Outcome(Status.INCORRECT, detail=detail)


#: Letters of constants of integration.
_CONSTANTS = frozenset("CcKk")


Rest = TypeVarTuple("Rest")


def best(judged: Iterable[tuple[Outcome, *Rest]]) -> tuple[Outcome, *Rest]:
    """The outcome that decides about the answer, with its reading.

    The first correct reading decides. If no reading is correct, the first undecided reading
    decides. If no reading is undecided either, the first reading decides.

    An undecided reading has precedence over a wrong reading, because the undecided reading may be
    the intended one. ``judged`` must begin with the likeliest reading.
    """
    candidates: list[tuple[Outcome, *Rest]] = []
    for candidate in judged:
        if candidate[0].status is Status.CORRECT:
            return candidate
        candidates.append(candidate)
    return min(candidates, key=lambda pair: pair[0].status is not Status.UNDECIDED)


def stated_divergence(answer: ExtractedAnswer) -> int | None:
    """The divergence that a final answer states, as a number.

    The result is 1 or -1 for plus or minus infinity, and 0 for divergence without a sign. The
    result is None for any other answer.
    """
    text = (answer.text or "").replace("\\ ", " ").replace("~", " ")
    infinite = signed_infinity(text)
    if infinite is not None:
        return infinite
    if answer.text is not None and answer.source == "boxed":
        return convergence.boxed_divergence(stated_text(answer))
    divergence = convergence.divergence_of(_answer_in_words(answer))
    if divergence is not None:
        answer.text, answer.source, answer.status = "diverges", "final_answer", None
    return divergence


def _answer_in_words(answer: ExtractedAnswer) -> str:
    """The words at the end of a completion without a box, if the words may be the answer.

    Without a formula, these words are the announced answer or the last line. Behind a formula, they
    are the last sentence if the sentence states an answer (`concludes`).
    """
    final = _final(answer)
    if final.source == "boxed" or answer.options.strict or answer.options.truncated:
        return ""
    ending = (final.answer or final.text.strip().rpartition("\n")[2])[-400:]
    if answer.text is None:
        return ending
    sentence = _SENTENCE_END.split(ending.strip())[-1]
    sentence = sentence.rpartition(answer.text)[2]
    if "=" in sentence:
        return ""
    return sentence if concludes(sentence, answer.source == "final_answer") else ""


def stated_convergence(answer: ExtractedAnswer) -> str | None:
    """The convergence that an answer only asserts: "absolute", "conditional", or "" without a kind.

    The result is None for any other answer, such as a value.
    """
    only = convergence.asserted_convergence(answer.text or "", alone=True)
    return convergence.asserted_convergence(_answer_in_words(answer)) if only is None else only
