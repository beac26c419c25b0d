r"""The inputs and the target of problems, with a type of each per task.

A payload is stored as a JSON object of the fields. Fields with default values are left out, and
``extra`` keeps unknown entries: reading and writing is lossless.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar

import msgspec

from ..rewards.errors import UserError
from ..rewards.questions import COURSE
from ..rewards.records import convert

if TYPE_CHECKING:
    JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None
else:  # msgspec knows no recursive types
    JSON = Any

P = TypeVar("P", bound="Payload")


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """The inputs or the target of a problem.

    Attributes:
        extra: entries without a field in the payload, for prompts.

    """

    extra: Mapping[str, JSON] = field(default_factory=dict, hash=False)

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        """The payload in a JSON object; raises `UserError` for a missing field or a wrong type."""
        defaults = _defaults(cls)
        # A null that repeats a default is kept in ``extra``: the problem's hash depends on it.
        stored = {
            name: value
            for name, value in row.items()
            if name in defaults and value is not defaults[name]
        }
        extra = {name: value for name, value in row.items() if name not in stored}
        return convert({**stored, "extra": extra}, cls)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object for `read`."""
        row = {
            name: value
            for name, default in _defaults(type(self)).items()
            if (value := getattr(self, name)) is not default
        }
        entries: dict[str, Any] = msgspec.to_builtins({**row, **self.extra})
        return entries


#: A cache, as files have thousands of problems: by payload type, the fields in the order of
#: storage, with defaults.
_DEFAULTS: dict[type[Payload], dict[str, Any]] = {}


def _defaults(payload: type[Payload]) -> dict[str, Any]:
    if payload not in _DEFAULTS:
        own = {item.name: item.default for item in fields(payload) if item.name != "extra"}
        _DEFAULTS[payload] = own
    return _DEFAULTS[payload]


@dataclass(frozen=True, slots=True)
class OtherInputs(Payload):
    """Inputs without the usual fields of the task's inputs: all entries are in ``extra``."""


@dataclass(frozen=True, slots=True)
class IntegrationInputs(Payload):
    """An indefinite integral in LaTeX."""

    integrand: str
    variable: str


@dataclass(frozen=True, slots=True)
class DefiniteInputs(Payload):
    """A definite integral in LaTeX, with limits."""

    integral: str


@dataclass(frozen=True, slots=True)
class QuestionInputs(Payload):
    """A question of the course: the request, and the statement in LaTeX.

    Attributes:
        question: the statement, as read by the verifier.
        request: a sentence with the request.

    """

    question: str
    request: str


@dataclass(frozen=True, slots=True)
class SequenceInputs(Payload):
    """A statement about expressions as a sequence, for encoders.

    Attributes:
        sequence: the sequence in the form of the paper's data sets.
        clean_sequence: the sequence in proper LaTeX.

    """

    sequence: str
    clean_sequence: str


@dataclass(frozen=True, slots=True)
class DerivationInputs(SequenceInputs):
    """A derivation and its last step.

    Attributes:
        steps: the annotation and the equation of every step before the last.
        annotation: the annotation of the last step.
        equation: the equation of the last step.
        operator: the last operator of few-shot examples.
        shots_from: the number of steps of few-shot examples.

    """

    steps: tuple[tuple[str, str], ...]
    annotation: str
    equation: str
    operator: str | None = None
    shots_from: int | None = None


@dataclass(frozen=True, slots=True)
class CalculusInputs(SequenceInputs):
    """An expression, a variable, and a possible derivative or antiderivative."""

    premise: str
    variable: str
    result: str
    operator: str


@dataclass(frozen=True, slots=True)
class ArithmeticInputs(Payload):
    """An arithmetic expression; ``concept`` has the symbols that HINT teaches by few examples."""

    expression: str
    concept: str | None = None


@dataclass(frozen=True, slots=True)
class Target(Payload):
    """The data behind a verdict.

    Attributes:
        judged_by: the name of the field that a verifier compares an answer with.
        referenced_by: the name of the field with a right answer, if known.

    """

    judged_by: ClassVar[str]
    referenced_by: ClassVar[str | None] = None

    @property
    def judged(self) -> Any:
        """The value to compare an answer with."""
        return getattr(self, self.judged_by)

    @property
    def reference(self) -> str | None:
        """A right answer, if known."""
        return getattr(self, self.referenced_by) if self.referenced_by else None

    @property
    def integrated_over(self) -> str | None:
        """The variable of integration, or None."""
        return None

    def with_reference(self, reference: str) -> Self:
        """The target with another reference."""
        changes: dict[str, Any] = {self.referenced_by or "": reference}
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class IntegrationTarget(Target):
    """An indefinite integral in LaTeX.

    Attributes:
        antiderivative: a reference, if known.
        steps: a solution in steps, to train on.

    """

    judged_by = "integrand"
    referenced_by = "antiderivative"

    integrand: str
    variable: str
    antiderivative: str | None = None
    steps: str | None = None

    @property
    def integrated_over(self) -> str:
        """The variable of integration."""
        return self.variable


@dataclass(frozen=True, slots=True)
class DefiniteTarget(Target):
    """A definite integral in LaTeX, with the value in closed form and as a decimal, if known."""

    judged_by = "integral"
    referenced_by = "value"

    integral: str
    value: str | None = None
    decimal: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionTarget(Target):
    """A question of the course in LaTeX, and an answer, if one is known.

    Attributes:
        question: the statement.
        answer: a right answer.

    """

    judged_by = "question"
    referenced_by = "answer"

    question: str
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class LabelTarget(Target):
    """Whether a statement holds: 1 or 0."""

    judged_by = "label"

    label: bool | int | str


@dataclass(frozen=True, slots=True)
class ArithmeticTarget(Target):
    """A whole number.

    Attributes:
        value: the value under the rules of the benchmark.
        ordinary: the value under ordinary arithmetic, as HINT's notebooks score; None if undefined,
            not set for expressions with few-shot concepts.

    """

    judged_by = "value"

    value: int
    ordinary: int | msgspec.UnsetType | None = msgspec.UNSET


@dataclass(frozen=True)
class Payloads:
    """The types of a task's inputs and target."""

    inputs: type[Payload]
    target: type[Target]

    def read_inputs(self, entries: object) -> Payload:
        """The inputs in a JSON object; payloads are returned unchanged."""
        defaults = _defaults(self.inputs)
        complete = isinstance(entries, Mapping) and all(
            name in entries for name, default in defaults.items() if default is MISSING
        )
        return _typed("inputs", entries, self.inputs if complete else OtherInputs, Payload)

    def read_target(self, entries: object) -> Target:
        """The target in a JSON object; payloads are returned unchanged."""
        return _typed("target", entries, self.target, self.target)


def _typed(name: str, entries: object, payload: type[P], accepted: type[P]) -> P:
    if isinstance(entries, accepted):
        return entries
    if not isinstance(entries, Mapping):
        raise UserError(f"{name} must be a table, not {entries!r}")
    try:
        return payload.read(entries)
    except UserError as error:
        raise UserError(f"{name}: {error}") from None


#: The tasks by name. Each has prompt templates and a verifier (`harness.tasks`).
TASKS: Mapping[str, Payloads] = {
    "integration": Payloads(IntegrationInputs, IntegrationTarget),
    "definite_integral": Payloads(DefiniteInputs, DefiniteTarget),
    "derivation_step": Payloads(DerivationInputs, LabelTarget),
    "calculus_step": Payloads(CalculusInputs, LabelTarget),
    "arithmetic": Payloads(ArithmeticInputs, ArithmeticTarget),
    **dict.fromkeys(COURSE, Payloads(QuestionInputs, QuestionTarget)),
}
#: What a prompt template may be for besides one task: the name, and the tasks with such inputs.
GROUPS: Mapping[str, tuple[str, ...]] = {"course": tuple(COURSE)}
