"""The type of a problem."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None

#: The tasks. Each has prompt templates and a verifier.
TASKS = ("integration", "derivation_step", "calculus_step", "arithmetic")


@dataclass(frozen=True, slots=True)
class Parent:
    """A problem that another was made from, and its role in it.

    >>> Parent("bee-c-001", "f")
    Parent(id='bee-c-001', role='f')
    """

    id: str
    role: str


@dataclass(frozen=True, slots=True)
class Problem:
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
            known; all are LaTeX.
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

    def to_dict(self) -> dict[str, Any]:
        """The problem as a JSON-serialisable dictionary, which `from_dict` reads."""
        return {
            "id": self.id,
            "task": self.task,
            "benchmark": self.benchmark,
            "subset": self.subset,
            "inputs": dict(self.inputs),
            "target": dict(self.target),
            "assumptions": dict(self.assumptions),
            "parents": [{"id": parent.id, "role": parent.role} for parent in self.parents],
            "pair_parent": self.pair_parent,
            "perturbation": self.perturbation,
            "metadata": dict(self.metadata),
        }

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Problem:
        """Make a problem of a `to_dict` dictionary.

        Raises:
            ValueError: if a field is missing or unknown.

        """
        known = set(cls.__slots__)
        unknown = sorted(set(row) - known)
        missing = sorted({"id", "task", "benchmark", "subset", "inputs", "target"} - set(row))
        if unknown or missing:
            parts = [f"unknown field {name!r}" for name in unknown]
            parts += [f"missing field {name!r}" for name in missing]
            raise ValueError(f"not a problem: {', '.join(parts)}")
        values = dict(row)
        values["parents"] = tuple(
            Parent(str(parent["id"]), str(parent["role"])) for parent in row.get("parents") or ()
        )
        return cls(**values)
