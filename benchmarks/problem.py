"""The type of a problem."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ..rewards.errors import UserError, suggest
from ..rewards.records import Record, convert
from .payloads import JSON, TASKS

if TYPE_CHECKING:
    from .payloads import Payload, Target

    P = TypeVar("P", bound=Payload)
else:  # msgspec leaves the payloads to `Problem`, which knows their types by the task
    Payload = Target = Any

__all__ = ["TASKS", "Parent", "Problem"]


@dataclass(frozen=True, slots=True)
class Parent:
    """A problem that another was made from, and its role in it.

    Attributes:
        id: its id.
        role: what it was used as.

    >>> Parent("bee-c-001", "f")
    Parent(id='bee-c-001', role='f')

    """

    id: str
    role: str


@dataclass(frozen=True, slots=True)
class Problem(Record):
    """One problem: what the prompt shows, what the verifier needs, and where it comes from.

    A dictionary of inputs or of a target is read as the task's payload.

    Attributes:
        id: unique within the benchmark.
        task: one of `TASKS`.
        benchmark: the benchmark's name.
        subset: the subset's name.
        inputs: all that a prompt may show, as the payload of the task (`benchmarks.payloads`).
        target: all that a verdict may depend on, likewise.
        assumptions: what is assumed of symbols other than the variable, by default ``positive``.
        parents: the problems that it was made from.
        pair_parent: the id of the problem that it is compared with.
        perturbation: how it was made from that one.
        metadata: anything else; not part of `content_hash`.

    >>> shown = {"integrand": "2x", "variable": "x"}
    >>> problem = Problem("p1", "integration", "mine", "easy", inputs=shown, target=shown)
    >>> problem.name, problem.target.judged
    ('mine/easy', '2x')

    """

    id: str
    task: str
    benchmark: str
    subset: str
    inputs: Payload
    target: Target
    assumptions: Mapping[str, str] = field(default_factory=dict)
    parents: tuple[Parent, ...] = ()
    pair_parent: str | None = None
    perturbation: str | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("a problem needs an id that is not empty")
        if self.task not in TASKS:
            raise ValueError(f"{self.id}: unknown task {self.task!r}; {suggest(self.task, TASKS)}")
        payloads = TASKS[self.task]
        try:
            object.__setattr__(self, "inputs", payloads.read_inputs(self.inputs))
            object.__setattr__(self, "target", payloads.read_target(self.target))
        except UserError as error:
            raise UserError(f"{self.id}: {error}") from None

    def __hash__(self) -> int:
        return hash((self.benchmark, self.subset, self.id))

    @property
    def name(self) -> str:
        """The subset's full name, as in ``bee/competition``."""
        return f"{self.benchmark}/{self.subset}"

    def target_as(self, payload: type[P]) -> P:
        """The target as the payload of one task.

        Args:
            payload: a type of `benchmarks.payloads`.

        Returns:
            The target.

        Raises:
            UserError: the problem is of another task.

        """
        return self._as(self.target, payload)

    def inputs_as(self, payload: type[P]) -> P:
        """The inputs as the payload of one task.

        Args:
            payload: a type of `benchmarks.payloads`.

        Returns:
            The inputs.

        Raises:
            UserError: the inputs are of another task, or lack one of its fields.

        """
        return self._as(self.inputs, payload)

    def _as(self, value: object, payload: type[P]) -> P:
        if not isinstance(value, payload):
            raise UserError(
                f"{self.id} of the task {self.task!r} has no {payload.__name__}, "
                f"but {type(value).__name__}"
            )
        return value

    def to_dict(self) -> dict[str, Any]:
        """The problem as a JSON-serialisable dictionary, which `from_dict` reads.

        Returns:
            The fields by name.

        """
        row = super(Problem, self).to_dict()
        return row | {"inputs": self.inputs.to_dict(), "target": self.target.to_dict()}

    @property
    def content_hash(self) -> str:
        """SHA-256 of all fields but ``metadata``, which may change without making a new problem."""
        row = self.to_dict()
        del row["metadata"]
        text = json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Problem:
        """Make a problem of a `to_dict` dictionary.

        Args:
            row: the fields by name. An id or a subset that is a whole number is read as text.

        Returns:
            The problem.

        Raises:
            UserError: a field is missing, unknown or of a wrong type; the message names it.

        """
        unknown = sorted(row.keys() - set(cls.__slots__))
        if unknown:
            raise UserError(f"a problem has no field {unknown[0]!r}")
        names = ("id", "subset", "pair_parent")
        numbers = {name: str(row[name]) for name in names if type(row.get(name)) is int}
        return convert({**row, **numbers}, cls)
