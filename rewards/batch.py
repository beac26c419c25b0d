"""Many verdicts at once, on all cores.

If the worker fails on a completion, the verdict is one of those in `rewards.workers.verdicts`. A
misspelt option raises a `TypeError`. Workers that cannot start raise a
`rewards.workers.pool.PoolError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .arguments import check_method, check_texts, keyword_options
from .errors import ArgumentTypeError
from .numeric.sampling.integrand import as_latex
from .verdict import Verdict
from .verify.antiderivative import verify_antiderivative
from .verify.baselines.calls import deadline_for, welleck_verdicts, worker_deadline
from .workers.pool import DEFAULT_MEMORY_MB, shared_pool
from .workers.verdicts import WorkItem, amap_verdicts, map_verdicts

if TYPE_CHECKING:
    import sympy

#: Options that may be given per item, as a list.
_PER_ITEM = ("variable", "assumptions", "truncated")


def verify_many(
    completions: Sequence[str],
    integrands: str | sympy.Expr | Sequence[str | sympy.Expr],
    *,
    workers: int | None = None,
    deadline: float | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    **options: Any,
) -> list[Verdict]:
    r"""Judge each completion of a batch as `verify_antiderivative` does, on all cores.

    A completion cannot affect the verdict on another completion. The verdicts have the order of the
    completions.

    Args:
        completions: the model's outputs.
        integrands: an integrand for all completions, or a list with one integrand per completion.
        workers: number of worker processes (default: `rewards.workers.pool.usable_cores`). The
            processes are started once and kept for later calls.
        deadline: seconds of processor time for one completion. After this time, the worker process
            is stopped. The default is the method's deadline, as for `verify_antiderivative`.
        memory_mb: megabytes of memory that a worker may use, not counting its code.
        options: as for `verify_antiderivative`. ``variable``, ``assumptions`` and ``truncated`` may
            also be lists with an entry for each completion.

    Returns:
        One `Verdict` for each completion.

    Raises:
        ArgumentTypeError: an option is unknown, or ``completions`` is not a sequence of texts.
            `ArgumentTypeError` is a subclass of `TypeError`.
        UnknownNameError: no method has this name.
        MissingExtraError: ``method="published"`` needs an extra that is not installed.
        ValueError: the lists have different lengths.
        PoolError: the workers cannot be started.

    Example:
        >>> verdicts = verify_many([r"\boxed{x^2}", r"\boxed{x^3}"], "2x", workers=1)
        >>> [verdict.correct for verdict in verdicts]
        [True, False]

    """
    method = options.get("method", "balls")
    seconds = deadline_for(method, deadline)
    items = _items(completions, integrands, options, seconds)
    limit = worker_deadline(method, seconds)
    if method != "welleck":
        return map_verdicts("verify", items, workers, limit, memory_mb)
    pool = shared_pool(workers, memory_mb)
    return welleck_verdicts(items, pool.map("welleck", items, deadline=limit))


async def averify_many(
    completions: Sequence[str],
    integrands: str | sympy.Expr | Sequence[str | sympy.Expr],
    *,
    workers: int | None = None,
    deadline: float | None = None,
    memory_mb: int = DEFAULT_MEMORY_MB,
    **options: Any,
) -> list[Verdict]:
    r"""Judge a batch as `verify_many` does, without blocking the event loop of asyncio.

    The call can be cancelled.

    Args:
        completions: the model's outputs.
        integrands: as for `verify_many`.
        workers: as for `verify_many`.
        deadline: as for `verify_many`.
        memory_mb: as for `verify_many`.
        options: as for `verify_many`.

    Returns:
        One `Verdict` for each completion.

    Raises:
        ArgumentTypeError: as `verify_many`.
        UnknownNameError: as `verify_many`.
        ValueError: as `verify_many`.
        PoolError: as `verify_many`.

    Example:
        >>> import asyncio
        >>> asyncio.run(averify_many([r"\boxed{x^2}"], "2x", workers=1))[0].correct
        True

    """
    method = options.get("method", "balls")
    seconds = deadline_for(method, deadline)
    items = _items(completions, integrands, options, seconds)
    limit = worker_deadline(method, seconds)
    if method != "welleck":
        return await amap_verdicts("verify", items, workers, limit, memory_mb)
    pool = shared_pool(workers, memory_mb)
    return welleck_verdicts(items, await pool.amap("welleck", items, deadline=limit))


def _items(
    completions: Sequence[str], integrands: Any, options: Mapping[str, Any], seconds: float
) -> list[WorkItem]:
    """Prepare the arguments for every item: the completion, the integrand and the options."""
    if isinstance(completions, str):
        raise ArgumentTypeError("completions must be a sequence of strings, not one string")
    check_texts("completions", completions)
    check_method(options.get("method", "balls"))
    unknown = options.keys() - _options()
    if unknown:
        raise ArgumentTypeError(f"no such option: {', '.join(sorted(unknown))}")
    count = len(completions)
    if isinstance(integrands, list | tuple):
        _check_length("integrands", integrands, count)
        texts = [as_latex(integrand) for integrand in integrands]
    else:
        texts = [as_latex(integrands)] * count
    common = dict(options)
    if options.get("method") == "published":
        common["deadline"] = seconds
    columns: dict[str, list[Any]] = {}
    for name in _PER_ITEM:
        if isinstance(common.get(name), list | tuple):
            columns[name] = list(common.pop(name))
            _check_length(name, columns[name], count)
    if "stop" in common:
        common["stop"] = list(common["stop"])
    return [
        (completions[i], texts[i], common | {name: column[i] for name, column in columns.items()})
        for i in range(count)
    ]


def _check_length(name: str, values: Sequence[Any], count: int) -> None:
    if len(values) != count:
        raise ValueError(f"{count} completions but {len(values)} {name}")


def _options() -> set[str]:
    return keyword_options(verify_antiderivative).keys() - {"deadline"}
