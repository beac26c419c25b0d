"""The noun that everything turns on: one problem, with what it was made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None

#: The tasks there are; a prompt template and a verifier belong to each.
TASKS = ("integration", "derivation_step", "calculus_step", "arithmetic")


@dataclass(frozen=True, slots=True)
class Parent:
    """A problem that another was made from, and the part it plays in it."""

    id: str
    role: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: what the prompt shows, what the verifier needs, and where it comes from.

    ``inputs`` is all that a prompt may show; ``target`` is all that a verdict may depend on. For
    the task ``integration`` both hold ``"integrand"`` and ``"variable"``, and the target, where one
    is known, the reference ``"antiderivative"`` (all LaTeX). ``assumptions`` speak of symbols other
    than the variable; those are positive unless something else is said. ``pair_parent`` is the
    problem that this one is compared with. The mappings are plain dictionaries, so that a problem
    pickles and prints well; treat them as read-only.
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
            raise ValueError("a problem needs an id")
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
        """SHA-256 of all but ``metadata``: tags may be mended without making a new problem."""
        row = self.to_dict()
        del row["metadata"]
        text = json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """A JSON-serialisable dictionary; `from_dict` reads it back."""
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
        """Read a `to_dict` row; a missing or an unknown field is a ``ValueError``."""
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
