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
    """The origin of a derived problem, with its role.

    Attributes:
        id: the id of the original problem.
        role: the role of the original in the derived problem.

    >>> Parent("bee-c-001", "f")
    Parent(id='bee-c-001', role='f')

    """

    id: str
    role: str


@dataclass(frozen=True, slots=True)
class Problem(Record):
    """A problem: inputs for the prompt, a target for the verifier, and the origin.

    A dictionary of inputs or of a target is read as the task's payload.

    Attributes:
        id: unique within the benchmark.
        task: a name in `TASKS`.
        benchmark: the benchmark's name.
        subset: the subset's name.
        inputs: the data for prompts, as the payload of the task (`benchmarks.payloads`).
        target: the data for verdicts, as the payload of the task.
        assumptions: the assumptions on parameters, by default ``positive``.
        parents: the problems from which the problem was made.
        pair_parent: the id of the original for paired comparisons.
        perturbation: the perturbation that made the problem from ``pair_parent``.
        metadata: further data; not part of `content_hash`.

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
        """The target as a payload of the given type.

        Args:
            payload: a type of `benchmarks.payloads`.

        Returns:
            The target.

        Raises:
            UserError: the problem is of another task.

        """
        return self._as(self.target, payload)

    def inputs_as(self, payload: type[P]) -> P:
        """The inputs as a payload of the given type.

        Args:
            payload: a type of `benchmarks.payloads`.

        Returns:
            The inputs.

        Raises:
            UserError: the inputs are of another task, or lack a field.

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
        """The problem as a JSON-serialisable dictionary, for `from_dict`.

        Returns:
            The fields by name.

        """
        row = super(Problem, self).to_dict()
        return row | {"inputs": self.inputs.to_dict(), "target": self.target.to_dict()}

    @property
    def content_hash(self) -> str:
        """SHA-256 of all fields except ``metadata``, whose changes make no new problem."""
        row = self.to_dict()
        del row["metadata"]
        text = json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Problem:
        """Make a problem from a `to_dict` dictionary.

        Args:
            row: the fields by name. An integer as id or subset is read as text.

        Returns:
            The problem.

        Raises:
            UserError: a field is missing, unknown or of a wrong type; the message names the field.

        """
        unknown = sorted(row.keys() - set(cls.__slots__))
        if unknown:
            raise UserError(f"a problem has no field {unknown[0]!r}")
        names = ("id", "subset", "pair_parent")
        numbers = {name: str(row[name]) for name in names if type(row.get(name)) is int}
        return convert({**row, **numbers}, cls)
