"""Samples of a run, or a set of problems, as a data set on a hub, with a card.

A push is one commit: a Parquet file, and a README with a description, the settings and the table of
results. The token is huggingface_hub's: HF_TOKEN, or `hf auth login`.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from ...benchmarks import Problem, load
from ..core.errors import UserError, needing
from ..core.wording import counted
from ..report import export_summary
from ..report.export import export_run
from ..stats.summary import summarise
from ..store.run import Run
from ..store.verdict_sets import latest_complete

_REPO = re.compile(r"[\w.-]+/[\w.-]+")
#: Fields of a problem whose keys differ between rows: stored as JSON texts.
_LOOSE = ("inputs", "target", "assumptions", "metadata")

_CARD = """\
---
configs:
- config_name: default
  data_files:
  - split: {split}
    path: {split}.parquet
tags:
- calculus
- calculus-harness
---

# {title}

{body}"""


def push_run(run: Run, repository: str, *, policy: str | None = None, private: bool = False) -> str:
    """Push a run's samples with a card of its results.

    Args:
        run: the run.
        repository: ``OWNER/NAME``; made if missing.
        policy: the verdicts, by name; by default the latest complete ones.
        private: make a new repository private.

    Returns:
        The address of the data set.

    Raises:
        UserError: the name is invalid, the hub refuses, or an extra is missing.

    """
    policy = policy or latest_complete([run])
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        export_run(run, "parquet", directory / "samples.parquet", policy=policy)
        identity = run.manifest["identity"]
        prompts = {task: entry["name"] for task, entry in identity["prompts"].items()}
        settings: dict[str, Any] = {
            "benchmarks": identity["benchmarks"],
            "prompts": prompts,
            "seed": identity["seed"],
            "verifier": policy,
            **identity["sampling"],
        }
        lines = "".join(
            f"| {name} | `{json.dumps(setting)}` |\n" for name, setting in settings.items()
        )
        body = (
            "Answers of models to calculus problems, each with its verdict and evidence; a row is "
            "a sample.\n\n## Results\n\nIn percent; pass@k with its 95 % interval.\n\n"
            f"{export_summary(summarise(run, policy), 'markdown')}\n## Settings\n\n"
            f"| setting | value |\n| --- | --- |\n{lines}"
        )
        _write_card(directory, "samples", run.path.resolve().name, body)
        return _upload(directory, repository, f"Samples of {run.path.resolve().name}", private)


def push_problems(path: Path, repository: str, *, private: bool = False) -> str:
    """Push a set of problems (a file or folder of `generate`); see `push_run`."""
    with needing("pushing needs the extra 'data'", "data"):
        import datasets
    problems = load(str(path))
    rows = [_row(problem) for problem in problems]
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        datasets.disable_progress_bars()
        datasets.Dataset.from_list(rows).to_parquet(str(directory / "problems.parquet"))
        sizes = Counter(problem.name for problem in problems)
        lines = "".join(f"| {name} | {count} |\n" for name, count in sizes.items())
        body = (
            "Calculus problems for models; `inputs`, `target`, `assumptions` and `metadata` are "
            f"JSON.\n\n| subset | problems |\n| --- | ---: |\n{lines}"
        )
        _write_card(directory, "problems", path.stem, body)
        return _upload(directory, repository, counted(len(rows), "problem"), private)


def _row(problem: Problem) -> dict[str, Any]:
    row = problem.to_dict()
    return row | {name: json.dumps(row[name], ensure_ascii=False) for name in _LOOSE}


def _write_card(directory: Path, split: str, title: str, body: str) -> None:
    card = _CARD.format(split=split, title=title, body=body)
    (directory / "README.md").write_text(card, encoding="utf-8")


def _upload(directory: Path, repository: str, message: str, private: bool) -> str:
    """Upload a folder in a single commit."""
    if not _REPO.fullmatch(repository):
        raise UserError(f"a repository is named OWNER/NAME, not {repository!r}")
    with needing("pushing needs the extra 'data'", "data"):
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError
    hub = HfApi()
    try:
        hub.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
        hub.upload_folder(
            repo_id=repository, repo_type="dataset", folder_path=directory, commit_message=message
        )
    except (HfHubHTTPError, LocalTokenNotFoundError, OSError) as error:
        reason = " ".join(str(error).split())[:300]
        raise UserError(f"the hub does not take {repository}: {reason}") from None
    return f"{hub.endpoint}/datasets/{repository}"
