"""`sweep`: plan, ask, grade. After an interruption, the same call resumes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...benchmarks.problem import Problem
from ..core.errors import UserError
from ..models import Model
from ..models.python_function import LocalFunction
from ..stats.findings import Run
from .phases import Phase, run_phases, run_turns
from .plan import plan
from .progress import Progress, or_by_default
from .spec import SweepSpec


def sweep(
    models: SweepSpec | Sequence[str | Model | Callable[..., Any]],
    benchmarks: Sequence[str] | None = None,
    *,
    problems: Sequence[Problem] | None = None,
    phases: Sequence[Phase] | None = None,
    retry_errors: bool = False,
    progress: Progress | None = None,
    **settings: Any,
) -> Run:
    """Ask models for answers to every problem, grade the answers, and store all data in a
    directory.

    Args:
        models: a complete `SweepSpec`; or names (``"solver/sympy"``), `Model` instances or
            functions ``answer(messages, seed)``.
        benchmarks: names such as ``"bee"`` or ``"bee/competition"``, or files of problems.
        problems: the problems themselves. If given, ``benchmarks`` is only their name in the run.
        phases: the phases that follow, from `harness.studies.named_phases`.
        retry_errors: whether to ask again for samples that are stored as errors.
        progress: receives every completion and verdict. The default shows a live line on a terminal
            or in a notebook, and elsewhere a new line from time to time. `Silent` shows nothing.
        **settings: the flags of ``run.py sweep`` by name, such as ``samples``, ``temperature``,
            ``num_fewshot`` or ``out``; see `SweepSpec.of`.

    Returns:
        The run.

    Raises:
        UserError: a setting is unknown or of the wrong type, or the settings do not fit together.
            No request was sent.

    >>> run = sweep(models=["solver/sympy"], benchmarks=["drills"], limit=1, out="run")
    >>> [row["status"] for row in run.verdicts().rows()]
    ['correct']

    """
    # Functions and model objects cannot be part of a stored specification: the specification has
    # their names, and `plan` gets the objects.
    instances: Sequence[str | Model] | None = None
    if isinstance(models, SweepSpec):
        if benchmarks is not None or settings:
            raise UserError("a SweepSpec has all settings; change it by dataclasses.replace")
        spec = models
    else:
        names: Any = models
        if not isinstance(models, str):
            instances = [
                LocalFunction.of(model)
                if callable(model) and not isinstance(model, str | Model)
                else model
                for model in models
            ]
            names = [model.spec if isinstance(model, Model) else model for model in instances]
        set_values = {name: value for name, value in settings.items() if value is not None}
        spec = SweepSpec.of(model=names, benchmark=benchmarks, **set_values)
    # Phases belong to studies, which this module must not import.
    if spec.phases is not None and phases is None:
        raise UserError(
            f"the phases {spec.phases!r} are not imported here; pass phases="
            f"harness.studies.named_phases({spec.phases!r}, {spec.phase_filter or 'none'!r})"
        )
    job = plan(spec, models=instances, problems=problems)
    with or_by_default(progress) as reporter:
        if job.turns > 1:
            return run_turns(job, policy=spec.policy, progress=reporter, retry_errors=retry_errors)
        return run_phases(
            job, phases or (), policy=spec.policy, progress=reporter, retry_errors=retry_errors
        )
