"""The type of a problem."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ..rewards.errors import UserError
from ..rewards.records import Record, convert

if TYPE_CHECKING:
    JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None
else:  # msgspec knows no recursive types
    JSON = Any

#: The tasks. Each has prompt templates and a verifier.
TASKS = (
    "integration",
    "definite_integral",
    "derivation_step",
    "calculus_step",
    "arithmetic",
)


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

    The mappings are plain dictionaries, because these pickle and print well. Do not change them.

    Attributes:
        id: unique within the benchmark.
        task: one of `TASKS`.
        benchmark: the benchmark's name.
        subset: the subset's name.
        inputs: all that a prompt may show.
        target: all that a verdict may depend on. For the task ``integration``, both have the keys
            ``integrand`` and ``variable``, and the target ``antiderivative`` if a reference is
            known; all are LaTeX. For ``definite_integral`` both have ``integral``, and the target
            ``value`` if one is known.
        assumptions: what is assumed of symbols other than the variable, by default ``positive``.
        parents: the problems that it was made from.
        pair_parent: the id of the problem that it is compared with.
        perturbation: how it was made from that one.
        metadata: anything else; not part of `content_hash`.

    >>> shown = {"integrand": "2x", "variable": "x"}
    >>> problem = Problem("p1", "integration", "mine", "easy", inputs=shown, target=shown)
    >>> problem.name
    'mine/easy'

    """

    id: str
    task: str
    benchmark: str
    subset: str
    inputs: Mapping[str, JSON]
    target: Mapping[str, JSON]
    assumptions: Mapping[str, str] = field(default_factory=dict)
    parents: tuple[Parent, ...] = ()
    pair_parent: str | None = None
    perturbation: str | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("a problem needs an id that is not empty")
        if self.task not in TASKS:
            raise ValueError(f"{self.id}: unknown task {self.task!r}; known: {', '.join(TASKS)}")

    def __hash__(self) -> int:
        return hash((self.benchmark, self.subset, self.id))

    @property
    def name(self) -> str:
        """The subset's full name, as in ``bee/competition``."""
        return f"{self.benchmark}/{self.subset}"

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
