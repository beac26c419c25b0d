"""`sweep`: plan, ask, grade. The same call goes on where an earlier one was stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from ...benchmarks.problem import Problem
from ..core.errors import UserError
from ..core.policy import Policy
from ..core.requests import Sampling
from ..models import Model
from ..models.python_function import LocalFunction
from ..stats.findings import Run
from .phases import Phase, run_phases, run_turns
from .plan import plan
from .progress import Progress, or_by_default
from .spec import Feedback, SweepSpec


@overload
def sweep(
    models: SweepSpec,
    *,
    problems: Sequence[Problem] | None = None,
    phases: Sequence[Phase] | None = None,
    retry_errors: bool = False,
    progress: Progress | None = None,
) -> Run: ...


@overload
def sweep(
    models: Sequence[str | Model | Callable[..., Any]],
    benchmarks: Sequence[str],
    *,
    problems: Sequence[Problem] | None = None,
    phases: Sequence[Phase] | None = None,
    prompt: str | os.PathLike[str] | None = None,
    shots: int | None = None,
    samples: int = 1,
    limit: int | None = None,
    seed: int = 0,
    sampling: Sampling | None = None,
    options: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    primary_k: int | None = None,
    policy: Policy | None = None,
    turns: int | None = None,
    feedback: Feedback | None = None,
    system_message: str | None = None,
    pictures: str | os.PathLike[str] | None = None,
    prices: str | os.PathLike[str] | None = None,
    max_cost: float | None = None,
    max_tokens_total: int | None = None,
    retry_errors: bool = False,
    progress: Progress | None = None,
) -> Run: ...


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
    """Ask models for answers to every problem, grade them, and keep everything in a directory.

    Args:
        models: a whole `SweepSpec`; or names (``"solver/sympy"``), `Model` instances or functions
            ``answer(messages, seed)``, with the other fields of a `SweepSpec` as keyword arguments.
        benchmarks: names such as ``"bee"`` or ``"bee/competition"``, or files of problems.
        problems: the problems themselves; ``benchmarks`` is then only what the run calls them.
        phases: what to ask afterwards, as of `harness.studies.named_phases`.
        retry_errors: ask the samples again that are stored as errors.
        progress: is told of every completion and verdict; by default one live line on a terminal
            or in a notebook, and elsewhere a line now and then (`Silent` shows nothing).
        **settings: ``prompt``, ``system_message``, ``shots``, ``samples``, ``limit``, ``seed``,
            ``sampling``, ``options``, ``out``, ``primary_k``, ``policy``, ``prices``,
            ``max_cost``, ``max_tokens_total``, ``pictures``, ``turns``, ``feedback``: see
            `SweepSpec`.

    Returns:
        The run.

    Raises:
        UserError: a setting is unknown or of the wrong kind, or something cannot work; nothing was
            asked then.

    >>> run = sweep(models=["solver/sympy"], benchmarks=["drills"], limit=1, out="run")
    >>> [row["status"] for row in run.verdicts().rows()]
    ['correct']

    """
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
        given = {name: value for name, value in settings.items() if value is not None}
        spec = SweepSpec.make(models=names, benchmarks=benchmarks, **given)
    if spec.phases is not None and phases is None:
        raise UserError(
            f"the phases {spec.phases!r} are not imported here; pass phases="
            f"harness.studies.named_phases({spec.phases!r}, {spec.phase_filter or 'none'!r})"
        )
    job = plan(spec, models=instances, problems=problems)
    with or_by_default(progress) as shown:
        if job.turns > 1:
            return run_turns(job, policy=spec.policy, progress=shown, retry_errors=retry_errors)
        return run_phases(
            job, phases or (), policy=spec.policy, progress=shown, retry_errors=retry_errors
        )
