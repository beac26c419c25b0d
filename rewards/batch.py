"""Verdicts from workers: many at once, or one that might run long.

`verify_many` and `averify_many` judge a batch on all cores. Everything that may happen to a worker
becomes a verdict, so that no batch is ever lost:

============================  ==========  ==================
what happened                 status      flag
============================  ==========  ==================
the deadline passed           timeout
too much memory was needed    error       ``memory_limit``
the worker crashed            error       ``worker_crash``
the problem itself is bad     error       ``problem_error``
a fault of the verifier's     error       ``internal_error``
============================  ==========  ==================

What is no item's fault raises: a misspelt option is a `TypeError`, workers that cannot start are a
`rewards.workers.pool.PoolError`. (Silently scoring 0 then is how a training run is lost.)
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from .verdict import Evidence, Status, Verdict
from .worker_tasks import unpack
from .workers.pool import (
    DEFAULT_MEMORY_MB,
    PoolError,
    TaskError,
    WorkerCrash,
    WorkerError,
    WorkerMemory,
    WorkerPool,
    WorkerTimeout,
    in_worker,
)

if TYPE_CHECKING:
    import sympy

    from .answers import Answer
    from .decision.integrand import Integrand

__all__ = [
    "PoolError",
    "WorkerPool",
    "averify_many",
    "default_pool",
    "in_worker",
    "shared_pool",
    "verify_many",
]

DEADLINE = 10.0
#: Seconds for a candidate under the method ``welleck`` (`rewards.baselines.welleck`).
WELLECK_LIMIT = 1.0
#: Options that may be given per item, as a list.
_PER_ITEM = ("variable", "assumptions", "truncated")

_POOLS: dict[tuple[int | None, int], WorkerPool] = {}


def shared_pool(size: int | None = None, memory_mb: int = DEFAULT_MEMORY_MB) -> WorkerPool:
    """The pool of this process with these settings, kept from call to call."""
    key = (size, memory_mb)
    if key not in _POOLS:
        # No lock, which a fork might leave held: `setdefault` is atomic, and an unused pool free.
        _POOLS.setdefault(key, WorkerPool(size, memory_mb))
    return _POOLS[key]


def default_pool() -> WorkerPool:
    """The pool for single items that might run long, and for batches that ask for no other."""
    return shared_pool()


def verify_many(
    completions: Sequence[str],
    integrands: str | sympy.Expr | Sequence[str | sympy.Expr],
    *,
    workers: int | None = None,
    deadline: float = DEADLINE,
    memory_mb: int = DEFAULT_MEMORY_MB,
    **options: Any,
) -> list[Verdict]:
    """`verify_antiderivative` for a batch: in order, on all cores, each item contained.

    Args:
        completions: what the model said.
        integrands: one for all, or one for each.
        workers: how many (default: `rewards.workers.pool.usable_cores`). Started once and kept.
        deadline: seconds of wall clock for each item, beyond which its worker is killed.
        memory_mb: what a worker may take beyond its code.
        options: as for `verify_antiderivative`; ``variable``, ``assumptions`` and ``truncated`` may
            be lists with one entry for each completion.

    """
    items = _items(completions, integrands, options)
    return map_verdicts(_task(options), items, workers, deadline, memory_mb)


async def averify_many(
    completions: Sequence[str],
    integrands: str | sympy.Expr | Sequence[str | sympy.Expr],
    *,
    workers: int | None = None,
    deadline: float = DEADLINE,
    memory_mb: int = DEFAULT_MEMORY_MB,
    **options: Any,
) -> list[Verdict]:
    """`verify_many` for asyncio: the loop is not blocked, and a cancelled call is given up."""
    items = _items(completions, integrands, options)
    return await amap_verdicts(_task(options), items, workers, deadline, memory_mb)


def _task(options: Mapping[str, Any]) -> str:
    return "welleck" if options.get("method") == "welleck" else "verify"


#: What a worker needs for one verdict: the completion, the target, the options.
WorkItem: TypeAlias = tuple[str, Any, dict[str, Any]]


def map_verdicts(
    task: str, items: Sequence[WorkItem], workers: int | None, deadline: float, memory_mb: int
) -> list[Verdict]:
    """Verdicts of any verifier in order; ``task`` is a name in `rewards.workers.pool.TASKS`."""
    pool = shared_pool(workers, memory_mb)
    results = pool.map(task, items, deadline=_deadline(task, deadline))
    return _verdicts(task, items, results)


async def amap_verdicts(
    task: str, items: Sequence[WorkItem], workers: int | None, deadline: float, memory_mb: int
) -> list[Verdict]:
    """`map_verdicts` for asyncio."""
    pool = shared_pool(workers, memory_mb)
    results = await pool.amap(task, items, deadline=_deadline(task, deadline))
    return _verdicts(task, items, results)


def _deadline(task: str, deadline: float) -> float:
    """The published scorer has a limit of its own, which is a part of its verdict."""
    return min(deadline, WELLECK_LIMIT) if task == "welleck" else deadline


def _verdicts(task: str, items: Sequence[WorkItem], results: Sequence[Any]) -> list[Verdict]:
    if task != "welleck":
        return [_verdict(result) for result in results]
    return [_lenient(item, result) for item, result in zip(items, results, strict=True)]


def verify_in_worker(
    task: str, completion: str, target: Any, answer: Answer, *, deadline: float, **options: Any
) -> Verdict:
    """A verification that might run long, in a worker that can be killed."""
    if "stop" in options:
        options["stop"] = list(options["stop"])
    arguments = (completion, _text(target), options)
    try:
        return unpack(default_pool().call(task, *arguments, deadline=deadline))
    except WorkerError as error:
        status, evidence = _failure(error, answer.evidence)
        return Verdict(status, 0.0, answer.text, evidence)


def published_in_worker(answer: Answer, problem: Integrand, deadline: float) -> Verdict:
    """AntiderivBench's evaluator (`rewards.baselines.antiderivbench`) on an extracted answer."""
    from .latex import to_latex

    text, integrand = answer.text or "", to_latex(problem.expression)
    status, evidence = _published(text, integrand, problem.variable, answer.evidence, deadline)
    return Verdict(status, float(status is Status.CORRECT), text, evidence)


def welleck_in_worker(completion: str, integrand: Any, **options: Any) -> Verdict:
    """The scorer of `rewards.baselines.welleck`, which takes one second at most."""
    item = (completion, _text(integrand), options)
    if in_worker():
        from .baselines.welleck import judge

        return unpack(judge(*item))
    return map_verdicts("welleck", [item], None, DEADLINE, DEFAULT_MEMORY_MB)[0]


def _lenient(item: WorkItem, result: Any) -> Verdict:
    """As `_verdict`, but what was not finished counts as correct; a bad problem does not."""
    from .answers import find_answer

    bad = isinstance(result, TaskError) and result.kind == "ProblemError"
    if not isinstance(result, WorkerError) or bad:
        return _verdict(result)
    completion, _, options = item
    answer = find_answer(
        completion,
        strict=options.get("strict", False),
        stop=options.get("stop", ()),
        truncated=options.get("truncated", False),
        method="welleck",
    )
    flag = "timeout_is_correct" if isinstance(result, WorkerTimeout) else "exception_is_correct"
    evidence = replace(answer.evidence, detail=str(result), flags=(*answer.notes, flag))
    return Verdict(Status.CORRECT, 1.0, answer.text, evidence)


def published_verdict(
    answer: str, integrand: str, *, variable: str = "x", deadline: float = DEADLINE
) -> Verdict:
    """AntiderivBench's evaluator, on formulas in LaTeX as its own reader understands them."""
    evidence = Evidence(method="published")
    status, evidence = _published(answer, integrand, variable, evidence, deadline)
    return Verdict(status, float(status is Status.CORRECT), answer, evidence)


def _published(
    answer: str, integrand: str, variable: str, evidence: Evidence, deadline: float
) -> tuple[Status, Evidence]:
    arguments = (answer, integrand, variable)
    try:
        if in_worker():
            from .worker_tasks import published

            found = published(*arguments)
        else:
            found = default_pool().call("published", *arguments, deadline=deadline)
    except TaskError as error:
        if error.kind == "MissingReaderError":
            raise ImportError(error.message) from None
        return _failure(error, evidence)
    except WorkerError as error:
        return _failure(error, evidence)
    status, step, detail, flags, points = found
    return Status(status), replace(
        evidence, detail=f"step {step}: {detail}", flags=(*evidence.flags, *flags), points=points
    )


_FLAG = {WorkerMemory: "memory_limit", WorkerCrash: "worker_crash", TaskError: "internal_error"}


def _failure(error: WorkerError, evidence: Evidence) -> tuple[Status, Evidence]:
    """What it means for a verdict that a worker did not finish."""
    if isinstance(error, WorkerTimeout):
        return Status.TIMEOUT, replace(evidence, detail=str(error))
    flag = _FLAG.get(type(error), "internal_error")
    detail = str(error)
    if isinstance(error, TaskError) and error.kind == "ProblemError":
        flag, detail = "problem_error", error.message
    return Status.ERROR, replace(evidence, detail=detail, flags=(*evidence.flags, flag))


def _verdict(result: Any) -> Verdict:
    if not isinstance(result, WorkerError):
        return unpack(result)
    if isinstance(result, TaskError) and result.kind == "MissingReaderError":
        raise ImportError(result.message)
    status, evidence = _failure(result, Evidence())
    return Verdict(status, 0.0, None, evidence)


def _items(
    completions: Sequence[str], integrands: Any, options: Mapping[str, Any]
) -> list[WorkItem]:
    """Arguments for every item: completion, integrand, options."""
    if isinstance(completions, str):
        raise TypeError("completions must be a sequence of strings, not one string")
    unknown = options.keys() - _options()
    if unknown:
        raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
    count = len(completions)
    if isinstance(integrands, list | tuple):
        _check_length("integrands", integrands, count)
        texts = [_text(integrand) for integrand in integrands]
    else:
        texts = [_text(integrands)] * count
    common = dict(options)
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


def _text(integrand: Any) -> str:
    if isinstance(integrand, str):
        return integrand
    from .expression.sympy_bridge import from_sympy
    from .latex import to_latex

    return to_latex(from_sympy(integrand))


@lru_cache(maxsize=1)
def _options() -> frozenset[str]:
    from .antiderivative import verify_antiderivative

    parameters = inspect.signature(verify_antiderivative).parameters.values()
    keywords = {p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    return frozenset(keywords - {"deadline"})
