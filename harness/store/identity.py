"""What a run is: the settings that cannot change within it, and what is asked of each model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...prompts import Prompt
from ..core.requests import Sampling


@dataclass(frozen=True)
class Identity:
    """The settings that cannot change within a run."""

    benchmarks: tuple[str, ...]
    prompts: Mapping[str, Prompt]  # by task
    sampling: Sampling
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """As the manifest has it; `digest` of it names runs."""
        return {
            "benchmarks": list(self.benchmarks),
            "prompts": {
                task: {"name": prompt.name, "hash": prompt.hash, "source": prompt.source}
                for task, prompt in sorted(self.prompts.items())
            },
            "sampling": self.sampling.to_dict(),
            "seed": self.seed,
        }


@dataclass(frozen=True)
class ModelPlan:
    """What a sweep asks of one model: so many samples of so many problems."""

    model: str
    label: str
    config: Mapping[str, Any]
    samples: int
    problems: int
    limit: int | None = None
    deterministic: bool = False
