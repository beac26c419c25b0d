"""`export`: a run's samples for other programs, row by row and with little memory.

``csv``, ``parquet`` and ``dataset`` have a row for each sample (and stage), with the columns of
`FIELDS`. ``lm-eval`` is a directory in the format of lm-evaluation-harness 0.4 with
``--log_samples``: for each model a file ``samples_TASK_DATE.jsonl`` with a line for each problem,
and ``results_DATE.json``.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...rewards.errors import suggest
from ..core.errors import UserError, needing
from ..store.run import Run
from ..store.samples import Sample, samples
from .lm_eval_logs import write_lm_eval

if TYPE_CHECKING:
    import pandas
    import pyarrow

FORMATS = ("csv", "parquet", "dataset", "lm-eval", "inspect")
BATCH = 2_000
#: The columns with their types; ``inputs``, ``target``, ``evidence`` are JSON, as they differ from
#: task to task.
FIELDS: dict[str, type] = {
    "run": str,
    "policy": str,
    "model": str,
    "model_hash": str,
    "benchmark": str,
    "subset": str,
    "problem": str,
    "task": str,
    "pair_parent": str,
    "perturbation": str,
    "inputs": str,
    "target": str,
    "sample": int,
    "stage": str,
    "seed": int,
    "completion": str,
    "reasoning": str,
    "finish_reason": str,
    "detail": str,
    "answer": str,
    "status": str,
    "reward": float,
    "evidence": str,
    "rank": int,
    "score": float,
    "logprob": float,
    "prompt_tokens": int,
    "completion_tokens": int,
    "reasoning_tokens": int,
    "seconds": float,
    "key": str,
}


def to_pandas(run: Run | str | os.PathLike[str], policy: str | None = None) -> pandas.DataFrame:
    """A data frame with a row for each sample and stage, and the columns of `FIELDS`.

    CSV, Parquet and data sets have the same columns; ``model`` is the name of the model.

    Args:
        run: a run or its directory.
        policy: the name of the verdicts; by default the latest complete verdicts.

    Returns:
        The data frame.

    Raises:
        UserError: pandas is not installed.

    Example:
        >>> from calculus_harness import sweep
        >>> run = sweep(["solver/sympy"], ["drills"], limit=1, out="run")
        >>> to_pandas(run).groupby("model").reward.mean()  # doctest: +SKIP

    """
    with needing("pandas is needed", "data"):
        import pandas
    return pandas.DataFrame(list(rows(Run.of(run), policy)), columns=list(FIELDS))


def export_run(
    run: Run, form: str, out: Path, *, policy: str | None = None, force: bool = False
) -> int:
    """Write a run's samples to ``out``, and return the number of rows.

    After an error, ``out`` is unchanged.
    """
    if form not in FORMATS:
        raise UserError(f"unknown format {form!r}; {suggest(form, FORMATS)}")
    if out.exists() and not force:
        raise UserError(f"{out} is there already; --force replaces it")
    if out.exists() and out.is_dir() != (form in ("dataset", "lm-eval", "inspect")):
        raise UserError(
            f"{out} is {'a directory' if out.is_dir() else 'a file'}; use another --out"
        )
    write: Callable[[Run, str | None, Path], int] = {
        "csv": _write_csv,
        "parquet": _write_parquet,
        "dataset": _write_dataset,
        "lm-eval": write_lm_eval,
        "inspect": _write_inspect,
    }[form]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        # Written beside the output and moved at the end: an interrupted export leaves no partial
        # files.
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as folder:
            exported = Path(folder) / "made"
            count = write(run, policy, exported)
            if out.is_dir():
                shutil.rmtree(out)
            exported.replace(out)
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}") from None
    return count


def rows(
    run: Run, policy: str | None = None, scratch: Path | None = None
) -> Iterator[dict[str, Any]]:
    """A dictionary for each sample, with the keys of `FIELDS`."""
    policy = policy or run.policy
    for sample in samples(run, policy, scratch):
        yield _row(sample, str(run.path), policy)


def _row(sample: Sample, run: str, policy: str | None) -> dict[str, Any]:
    problem, completion, judged = sample.problem, sample.completion, sample.judged or {}
    row = {
        "run": run,
        "policy": policy,
        "model": sample.label,
        "model_hash": sample.model,
        "benchmark": problem.benchmark,
        "subset": problem.subset,
        "problem": sample.key,
        "task": problem.task,
        "pair_parent": problem.pair_parent,
        "perturbation": problem.perturbation,
        "inputs": _json(problem.inputs.to_dict()),
        "target": _json(problem.target.to_dict()),
        "completion": completion["text"],
        "answer": judged.get("answer"),
        "status": judged.get("status"),
        "reward": judged.get("reward"),
        "evidence": _json(judged["evidence"]) if judged.get("evidence") else None,
        "seconds": completion.get("latency"),
    }
    return {name: row[name] if name in row else completion.get(name) for name in FIELDS}


def _json(value: Any) -> str:
    return json.dumps(dict(value), ensure_ascii=False)


def _write_csv(run: Run, policy: str | None, out: Path) -> int:
    count = 0
    # What is no Unicode (half of a surrogate pair) is replaced: no table could hold it.
    with out.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.DictWriter(file, list(FIELDS), lineterminator="\n")
        writer.writeheader()
        for row in rows(run, policy, out.parent):
            writer.writerow(row)
            count += 1
    return count


def _write_parquet(run: Run, policy: str | None, out: Path) -> int:
    with needing("Parquet and datasets need the extra 'data'", "data"):
        import pyarrow
        import pyarrow.parquet
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    schema = pyarrow.schema([(name, types[field]) for name, field in FIELDS.items()])
    count = 0
    with pyarrow.parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        every = rows(run, policy, out.parent)
        while batch := list(islice(every, BATCH)):
            writer.write_table(_table(batch, schema))
            count += len(batch)
    return count


def _table(batch: list[dict[str, Any]], schema: pyarrow.Schema) -> pyarrow.Table:
    import pyarrow

    try:
        return pyarrow.Table.from_pylist(batch, schema)
    except UnicodeEncodeError:  # half of a surrogate pair, which no table can hold
        for row in batch:
            for name, value in row.items():
                if isinstance(value, str):
                    row[name] = value.encode("utf-8", "replace").decode()
        return pyarrow.Table.from_pylist(batch, schema)


def _write_dataset(run: Run, policy: str | None, out: Path) -> int:
    with needing("a dataset needs the extra 'data'", "data"):
        import datasets
    table = out.parent / "table.parquet"
    count = _write_parquet(run, policy, table)
    enabled = not datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        dataset = datasets.Dataset.from_parquet(str(table), cache_dir=str(out.parent / "cache"))
        dataset.save_to_disk(out)
    finally:
        if enabled:
            datasets.enable_progress_bars()
        with suppress(OSError):
            table.unlink()
    return count


def _write_inspect(run: Run, policy: str | None, out: Path) -> int:
    with needing("logs of inspect_ai need the extra 'inspect'", "inspect"):
        logs = import_module(".inspect_logs", __package__)  # it needs inspect_ai
    count: int = logs.write_inspect(run, policy, out)
    return count
