"""A job from the arguments of `sweep`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calculus_harness.harness import Model, SweepSpec, plan
from calculus_harness.harness.run.job import Job


def job_of(models: Sequence[str | Model], benchmarks: Sequence[str], **settings: Any) -> Job:
    """The job of models, by name or themselves, and of benchmarks."""
    names = [model if isinstance(model, str) else model.spec for model in models]
    spec = SweepSpec.of(model=names, benchmark=benchmarks, **settings)
    return plan(spec, models=models)
