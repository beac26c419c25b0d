"""A run in the log format of lm-evaluation-harness.

A subset is a task, a problem is a document, and the samples of a problem are the ``repeats`` of a
request. The metrics of a document are pass@k of the samples. The only filter, ``verified``, stands
for our verifier; the ``filtered_resps`` are the extracted answers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from ...benchmarks.payloads import ArithmeticTarget, LabelTarget
from ...benchmarks.problem import Problem
from ...rewards.verdict import Status
from ..stats.intervals import Z
from ..stats.metrics import metrics
from ..stats.metrics.pass_at_k import pass_at_k
from ..stats.summary import Row, summarise
from ..stats.tallies import Tally, is_ranked, keys_by_subset
from ..store.run import Run
from ..store.samples import Prompts, Sample, samples

FILTER = "verified"


def write_lm_eval(run: Run, policy: str | None, out: Path) -> int:
    """Write the directory; returns the number of samples."""
    out.mkdir()
    summary = summarise(run, policy)
    ks = {
        (row.model, row.subset): [group_of_samples.k for group_of_samples in row.passes]
        for row in summary.rows
    }
    begun = datetime.fromisoformat(run.manifest["created"])
    date = begun.replace(tzinfo=None).isoformat(timespec="microseconds").replace(":", "-")
    task_folders = {
        key: index
        for name, keys in keys_by_subset(run).items()
        if name != "all"
        for index, key in enumerate(keys)
    }
    prompts = Prompts(run)
    ranked = is_ranked(run)
    hashes: dict[tuple[str, str], list[str]] = {}
    files: dict[tuple[str, str], IO[str]] = {}
    count = 0
    folders = _folders(run, out)
    try:
        for (model, key), group_of_samples in groupby(
            samples(run, policy, out.parent), key=lambda sample: (sample.model, sample.key)
        ):
            finished = [sample for sample in group_of_samples if sample.final]
            if not finished:
                continue
            subset = finished[0].problem.name
            group = (model, subset)
            if group not in files:
                folders[model].mkdir(exist_ok=True)
                samples_file = folders[model] / f"samples_{task_name(subset)}_{date}.jsonl"
                files[group] = samples_file.open("w", encoding="utf-8", errors="replace")
            line = _line(finished, task_folders[key], ks.get(group, [1]), prompts, ranked)
            hashes.setdefault(group, []).append(
                line["doc_hash"] + line["prompt_hash"] + line["target_hash"]
            )
            files[group].write(json.dumps(line, ensure_ascii=False) + "\n")
            count += len(finished)
    finally:
        for file in files.values():
            file.close()
    for model, folder in folders.items():
        mine = [row for row in summary.rows if row.model == model and row.subset != "all"]
        if mine:
            folder.mkdir(exist_ok=True)
            results = _results(run, model, mine, hashes, begun.timestamp(), summary.policy)
            text = json.dumps(results, indent=2, ensure_ascii=False) + "\n"
            (folder / f"results_{date}.json").write_text(text, encoding="utf-8")
    return count


def task_name(subset: str) -> str:
    """The name of a subset as the name of a task: ``bee_qualifier``."""
    return re.sub(r"\W", "_", subset)


def reference(problem: Problem) -> str:
    """The reference answer as text; empty if no reference is known."""
    target = problem.target
    if isinstance(target, LabelTarget | ArithmeticTarget):
        return str(target.judged)
    return target.reference or ""


def _folders(run: Run, out: Path) -> dict[str, Path]:
    """A folder for each model, named as lm-evaluation-harness does."""
    names = {
        model: re.sub(r"[\"<>:/|\\?*\[\]]+", "__", entry["label"])
        for model, entry in run.models.items()
    }
    often = list(names.values())
    return {
        model: out / (name if often.count(name) == 1 else f"{name}__{model[:6]}")
        for model, name in names.items()
    }


def _line(
    group: Sequence[Sample], index: int, ks: Sequence[int], prompts: Prompts, ranked: bool
) -> dict[str, Any]:
    problem = group[0].problem
    doc = {name: value for name, value in problem.to_dict().items() if name not in _LOOSE}
    doc |= {name: json.dumps(problem.to_dict()[name], ensure_ascii=False) for name in _LOOSE}
    target = reference(problem)
    rendered = prompts.render(problem)
    prompt = str(rendered) if rendered is not None else ""
    right = [(sample.judged or {}).get("status") == Status.CORRECT for sample in group]
    first_right = (right.index(True) if True in right else len(right)) if ranked else None
    tally = Tally("", "", len(group), sum(right), 0, first_right)
    passes = {f"pass@{k}": pass_at_k(*tally.drawn(k), k) for k in ks if k <= len(group)}
    answers = [(sample.judged or {}).get("answer") or "" for sample in group]
    return {
        "doc_id": index,
        "doc": doc,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": _arguments(prompts, problem)}},
        "resps": [[sample.completion["text"] for sample in group]],
        "filtered_resps": [answers] if len(answers) > 1 else answers,
        "filter": FILTER,
        "metrics": list(passes),
        "doc_hash": _hash(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": _hash(prompt),
        "target_hash": _hash(target),
        **passes,
        "verdicts": [(sample.judged or {}).get("status") or "" for sample in group],
    }


#: Parts of a problem whose keys differ from problem to problem, which tables do not like.
_LOOSE = ("assumptions", "metadata")


def _arguments(prompts: Prompts, problem: Problem) -> dict[str, Any]:
    sampling = prompts.run.manifest["identity"]["sampling"]
    return {
        "until": prompts.stop(problem.task),
        "max_gen_toks": sampling["max_tokens"],
        "temperature": sampling["temperature"],
        "top_p": sampling["top_p"],
        "do_sample": sampling["temperature"] > 0,
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _results(
    run: Run,
    model: str,
    rows: Sequence[Row],
    hashes: dict[tuple[str, str], list[str]],
    date: float,
    policy: str | None,
) -> dict[str, Any]:
    entry = run.models[model]
    tasks = {task_name(row.subset): row for row in rows}
    sampling = run.manifest["identity"]["sampling"]
    environment = run.manifest["environments"][-1]["environment"]
    return {
        "results": {name: {"alias": name, **dict(_numbers(row))} for name, row in tasks.items()},
        "group_subtasks": {name: [] for name in tasks},
        "configs": {
            name: {
                "task": name,
                "dataset_path": row.subset,
                "output_type": "generate_until",
                "repeats": round(row.samples_per_problem),
                "num_fewshot": 0,
                "generation_kwargs": {
                    "until": sampling["stop"],
                    "max_gen_toks": sampling["max_tokens"],
                    "temperature": sampling["temperature"],
                },
                "filter_list": [{"name": FILTER, "filter": [{"function": FILTER}]}],
                "metric_list": [
                    {"metric": name, "aggregation": "mean", "higher_is_better": higher}
                    for name, higher in _directions(row).items()
                ],
            }
            for name, row in tasks.items()
        },
        "versions": dict.fromkeys(tasks, policy or ""),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {name: _directions(row) for name, row in tasks.items()},
        "n-samples": {
            name: {"original": row.planned, "effective": row.problems}
            for name, row in tasks.items()
        },
        "config": {
            "model": str(entry["config"].get("spec", entry["label"])),
            "model_args": entry["config"],
            "limit": entry.get("limit"),
            "bootstrap_iters": 2000,
            "gen_kwargs": sampling,
            "random_seed": run.manifest["identity"]["seed"],
        },
        "git_hash": (environment.get("git") or {}).get("commit"),
        "date": date,
        "task_hashes": {
            name: _hash("".join(hashes.get((model, row.subset), []))) for name, row in tasks.items()
        },
        "model_source": "calculus-harness",
        "model_name": entry["label"],
        "model_name_sanitized": re.sub(r"[\"<>:/|\\?*\[\]]+", "__", entry["label"]),
        "system_instruction": None,
        "fewshot_as_multiturn": None,
        "chat_template": None,
    }


def _directions(row: Row) -> dict[str, bool]:
    """Whether higher is better, for every metric with an interval and a table."""
    return {
        metric.heading(estimate.k): metric.direction == "higher"
        for metric in metrics()
        if metric.shown != "never"
        for estimate in row.estimates.get(metric.name, ())
    }


def _numbers(row: Row) -> Iterator[tuple[str, float]]:
    """The estimates of metrics; the standard error is half the interval, divided by 1.96."""
    for metric in metrics():
        for estimate in row.estimates.get(metric.name, ()) if metric.shown != "never" else ():
            name, (low, high) = metric.heading(estimate.k), estimate.interval
            yield f"{name},{FILTER}", estimate.value
            yield f"{name}_stderr,{FILTER}", (high - low) / (2 * Z)
