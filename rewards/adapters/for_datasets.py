"""Verdicts for data sets that are not runs of the harness.

Examples are the rollouts of a trainer, and answers from other sources.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from ..arguments import keyword_options
from ..errors import ArgumentTypeError, UserError
from ..verdict import VERSION
from ..verify.antiderivative import verify_antiderivative
from ..workers.pool import DEFAULT_DEADLINE, DEFAULT_MEMORY_MB
from ..workers.verdicts import has_no_opinion, map_verdicts
from .rows import text_of
from .scoring import TASKS

#: The added columns.
COLUMNS = ("verdict_status", "verdict_reward", "verdict_answer", "verdict_detail")
#: Options that are not passed on: ``deadline`` has its own argument, ``method`` is for evaluation
#: only.
FIXED = {"deadline", "method"}
#: The default number of rows in a block, as in a Parquet file.
BLOCK = 10_000
_SETTINGS = "settings.json"

Table = TypeVar("Table")


@dataclass(frozen=True)
class _Verifier:
    """Computes the new columns of a batch.

    The library datasets caches the columns. The cache is not used after ``version`` has changed.
    """

    completion: str
    integrand: str
    options: Mapping[str, Any]
    deadline: float
    workers: int | None
    version: str = VERSION

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        pairs = zip(batch[self.completion], batch[self.integrand], strict=True)
        items = [(text_of(text), str(f or ""), dict(self.options)) for text, f in pairs]
        task = TASKS["antiderivative"].worker_task
        verdicts = map_verdicts(task, items, self.workers, self.deadline, DEFAULT_MEMORY_MB)
        added = (
            [str(verdict.status) for verdict in verdicts],
            [None if has_no_opinion(verdict) else verdict.reward for verdict in verdicts],
            [verdict.answer for verdict in verdicts],
            [verdict.evidence.detail for verdict in verdicts],
        )
        return dict(zip(COLUMNS, added, strict=True))


def verify_dataset(
    data: Table,
    *,
    completion: str = "completion",
    integrand: str = "integrand",
    out: str | os.PathLike[str] | None = None,
    block: int = BLOCK,
    deadline: float = DEFAULT_DEADLINE,
    workers: int | None = None,
    **options: Any,
) -> Table | Path:
    r"""Add verdicts to the rows of a data set, block by block.

    The columns ``verdict_status``, ``verdict_reward``, ``verdict_answer`` and ``verdict_detail``
    are added. A single block is in memory at a time. The size of blocks does not change
    the verdicts.

    Args:
        data: a `datasets.Dataset`, a `datasets.IterableDataset`, a `ray.data.Dataset`, or a path.
            The path is a Parquet file, or a folder with Parquet files.
        completion: the column of completions, which are texts or conversations. A missing value
            counts as an empty completion.
        integrand: the column of integrands. A row without an integrand gets the status ``error``.
        out: the folder to write if ``data`` is a path. Each block becomes a Parquet file. After
            an interruption, the same call continues with the missing blocks.
        block: the number of rows in a block.
        deadline: seconds of processor time for one row. After this time, the worker process is
            stopped.
        workers: the number of processes; by default one per core. Ray ignores this number.
        options: options of `verify_antiderivative` except ``method``. The options are the same for
            all rows.

    Returns:
        The data set with the new columns. If ``data`` is a path, the result is the folder ``out``.

    Raises:
        UserError: a column is missing, or an existing column would be replaced. The same error is
            raised if ``out`` is missing, is not allowed, or contains the blocks of another call.
        ArgumentTypeError: ``data`` has another type, or an option is unknown.

    Example:
        >>> from datasets import Dataset
        >>> rows = Dataset.from_dict({"completion": [r"\boxed{x^2}"], "integrand": ["2x"]})
        >>> verify_dataset(rows, workers=1)["verdict_status"][0]
        'correct'

    """
    if unknown := options.keys() - (keyword_options(verify_antiderivative).keys() - FIXED):
        raise ArgumentTypeError(f"no such option: {', '.join(sorted(unknown))}")
    module = type(data).__module__.split(".")
    verifier = _Verifier(completion, integrand, options, deadline, workers)
    if isinstance(data, str | os.PathLike):
        if out is None:
            raise UserError("verify_dataset needs out=FOLDER for a path")
        return _verify_files(Path(data), Path(out), verifier, block)
    if out is not None:
        raise UserError("out is for the path of Parquet files; a data set is returned")
    if module[0] == "datasets":
        columns = getattr(data, "column_names", None)
        _check_columns(columns, verifier)
        return data.map(verifier, batched=True, batch_size=block)  # type: ignore[no-any-return,attr-defined]
    if module[:2] == ["ray", "data"]:
        return _verify_on_ray(data, verifier, block)  # type: ignore[no-any-return]
    raise ArgumentTypeError(
        "data must be a data set of the package datasets or of Ray, or a path, "
        f"not a {type(data).__name__}"
    )


def _check_columns(columns: Sequence[str] | None, verifier: _Verifier) -> None:
    if columns is None:  # a stream that does not say
        return
    for name in (verifier.completion, verifier.integrand):
        if name not in columns:
            raise UserError(f"there is no column {name!r}; there are {', '.join(columns)}")
    if present := [name for name in COLUMNS if name in columns]:
        raise UserError(f"the column {present[0]!r} is there already; rename or drop it")


def _verify_on_ray(data: Any, verifier: _Verifier, block: int) -> Any:
    """Verify on a Ray cluster, in actors that use one CPU each.

    Ray starts as many actors as there are free CPUs.
    """
    ray: Any = importlib.import_module("ray")
    _check_columns(data.columns(), verifier)
    max_actors = max(1, int(ray.cluster_resources().get("CPU", 1)))
    return data.map_batches(
        _RayVerifier,
        fn_constructor_args=(replace(verifier, workers=1),),
        batch_format="pyarrow",
        batch_size=min(block, 1024),
        concurrency=(1, max_actors),
        num_cpus=1,
    )


class _RayVerifier:
    """A `_Verifier` that runs as an actor of Ray Data."""

    def __init__(self, verifier: _Verifier) -> None:
        self._verifier = verifier

    def __call__(self, table: Any) -> Any:
        return _with_verdicts(table, self._verifier)


def _with_verdicts(table: Any, verifier: _Verifier) -> Any:
    import pyarrow as pa

    names = (verifier.completion, verifier.integrand)
    verified = verifier({name: table.column(name).to_pylist() for name in names})
    types = (pa.string(), pa.float64(), pa.string(), pa.string())
    for name, column_type in zip(COLUMNS, types, strict=True):
        table = table.append_column(name, pa.array(verified[name], column_type))
    return table


# --- Parquet files ---


def _verify_files(source: Path, out: Path, verifier: _Verifier, block: int) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = sorted(source.glob("*.parquet")) if source.is_dir() else [source]
    if not files or not files[0].exists():
        raise UserError(f"there are no Parquet files at {source}")
    for file in files:
        _check_columns(pq.read_schema(file).names, verifier)
    _begin(out, files, verifier, block)
    for number, file in enumerate(files):
        for index, batch in enumerate(pq.ParquetFile(file).iter_batches(batch_size=block)):
            path = out / f"{number:05d}-{index:06d}.parquet"
            if path.exists():
                continue
            torn = path.with_suffix(".partial")
            pq.write_table(_with_verdicts(pa.Table.from_batches([batch]), verifier), torn)
            torn.replace(path)
    return out


def _begin(out: Path, files: Sequence[Path], verifier: _Verifier, block: int) -> None:
    """Make the output folder, or check that a call with the same settings made the folder."""
    settings = {
        "files": [[file.name, file.stat().st_size] for file in files],
        "completion": verifier.completion,
        "integrand": verifier.integrand,
        "block": block,
        "options": {name: repr(value) for name, value in sorted(verifier.options.items())},
        "verifier": verifier.version,
    }
    path = out / _SETTINGS
    if path.exists():
        if json.loads(path.read_text()) != settings:
            raise UserError(f"{out} has the verdicts of another call; choose another out")
        return
    if out.exists() and any(out.iterdir()):
        raise UserError(f"{out} is not empty; choose another out")
    out.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings, indent=1))
