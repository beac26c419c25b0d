"""The run directory: everything that was asked, said and judged, and nothing that is derived.

    manifest.json           what the run is (its `Identity`), its models and plans, the environment
    problems.jsonl          the problems, whole, so that the directory explains itself
    completions/            what models said: a `harness.store.jsonl_log` of completion rows
    verdicts/POLICY/        what the verifier said, one log per verifier version and policy
    failures.jsonl          samples that could not be had, and why; they are asked for again
    state/MODEL/            what a kind of model keeps to go on after a restart, where it does
    report.html             made by `run.py report`

Completions are identified by hashes (`harness.core.requests`), so that a larger ``-n`` or
``--limit``, or another model, extends a run, while a changed prompt, seed, sampling or problem is
refused. Verdicts refer to completions by key and can be thrown away. One process writes at a time.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...benchmarks.problem import Problem
from ...prompts import Prompt
from ..core.errors import RunError, UserError, suggest
from ..core.requests import Completion, Sampling, digest, problem_key
from . import counts
from .jsonl_log import Log, LogReader, Place, read_jsonl, write_atomically
from .verdict_sets import latest_complete

if TYPE_CHECKING:
    import pandas

    from ..stats.metrics import Summary

SCHEMA = 1
#: Of each log, the fields that its index leaves out, those that every row has, what is counted.
COMPLETIONS = (
    ("text", "reasoning", "extra"),
    ("key", "model", "problem", "request", "sample", "stage", "seed", "text", "finish_reason"),
    counts.COMPLETIONS,
)
VERDICTS = (
    ("answer", "evidence"),
    ("key", "model", "problem", "sample", "stage", "finish_reason", "status", "reward"),
    counts.VERDICTS,
)
#: The comparisons that p values are adjusted over, together: every subset with what it was made
#: from, or every two systems on every subset, at the primary k.
FAMILY = "all contrasts of one compare at the primary k"
PACKAGES = (
    "calculus-harness",
    "sympy",
    "python-flint",
    "numpy",
    "scipy",
    "jinja2",
    "vllm",
    "openai",
    "transformers",
    "torch",
    "datasets",
)


@dataclass(frozen=True)
class Identity:
    """What cannot change within a run."""

    benchmarks: tuple[str, ...]
    prompts: Mapping[str, Prompt]  # by task
    sampling: Sampling
    seed: int

    def to_dict(self) -> dict[str, Any]:
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
class Plan:
    """What one sweep asks of one model."""

    model: str
    label: str
    config: Mapping[str, Any]
    samples: int
    problems: int
    limit: int | None = None


class Run:
    """A run directory, opened for reading."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.exists(self.path):
            raise RunError(f"{self.path} is not a run: it has no manifest.json")

    @staticmethod
    def exists(path: Path) -> bool:
        return (path / "manifest.json").is_file()

    @property
    def _manifest_path(self) -> Path:
        return self.path / "manifest.json"

    @cached_property
    def manifest(self) -> dict[str, Any]:
        try:
            manifest: dict[str, Any] = json.loads(self._manifest_path.read_bytes())
            schema = manifest["schema"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{self._manifest_path} is damaged ({error}); restore it") from None
        if schema != SCHEMA:
            raise RunError(
                f"{self.path} has schema version {schema}, and this program reads {SCHEMA}; "
                "use the version of calculus-harness that made it"
            )
        return manifest

    @cached_property
    def problems(self) -> dict[str, Problem]:
        """The run's problems by key, in the order of the plan."""
        path = self.path / "problems.jsonl"
        problems: dict[str, Problem] = {}
        if path.exists():
            for number, row in enumerate(read_jsonl(path), 1):
                try:
                    problems[row["key"]] = Problem.from_dict(row["problem"])
                except (KeyError, TypeError, ValueError) as error:
                    raise RunError(f"{path}, line {number}: {error}; restore the file") from None
        return problems

    def problem(self, key: str) -> Problem:
        if key not in self.problems:
            raise RunError(f"{self.path}/problems.jsonl lacks {key}; restore the file")
        return self.problems[key]

    @property
    def models(self) -> dict[str, dict[str, Any]]:
        """Label, configuration and plan of every model asked, by hash."""
        models: dict[str, dict[str, Any]] = self.manifest["models"]
        return models

    @property
    def policies(self) -> tuple[str, ...]:
        """The verifier versions and policies under which this run was scored, latest last."""
        return tuple(self.manifest["policies"])

    @property
    def policy(self) -> str | None:
        """The set of verdicts that is taken by default: the latest complete one, if any.

        `harness.store.verdict_sets.latest_complete` says what is taken where none is complete.
        """
        return latest_complete([self])

    @property
    def completions(self) -> LogReader:
        return LogReader(self.path / "completions", *COMPLETIONS)

    def verdicts(self, policy: str | None = None) -> LogReader:
        """The verdicts under a policy, by default `policy`; `RunError` if it has none."""
        if policy is None:
            policy = self.policy or "none"
        elif policy not in self.policies:
            raise RunError(
                f"{self.path} has no verdicts {policy!r}; {suggest(policy, self.policies)}"
            )
        return LogReader(self.path / "verdicts" / policy, *VERDICTS)

    def completion(self, place: Place) -> Completion:
        return Completion.from_dict(self.completions.read(place))

    def summary(self, policy: str | None = None) -> Summary:
        """The counts, by model and subset: `harness.stats.metrics.Summary`."""
        from ..stats.metrics import summarise

        return summarise(self, policy)

    def table(self) -> None:
        """Print the table of results."""
        from ..report import print_summary

        print_summary(self.summary())

    def _repr_markdown_(self) -> str:
        """The same where a notebook shows the run."""
        from ..report import export_summary
        from ..report.tables import remarks

        summary = self.summary()
        return "\n".join(
            [export_summary(summary, "markdown"), *(f"{line}  " for line in remarks(summary))]
        )

    def to_pandas(self, policy: str | None = None) -> pandas.DataFrame:
        """One row per sample: model, problem, completion and verdict."""
        from ..report import to_pandas

        return to_pandas(self, policy)


class RunWriter(Run):
    """A run directory, locked and opened for writing by `writing` or `rescoring`."""

    log: Log

    def extend(self, plans: Sequence[Plan], problems: Sequence[Problem]) -> None:
        """Add to the problems and to what is asked of models, in the files too."""
        known = dict(self.problems)
        for problem in problems:
            key = problem_key(problem)
            if key in known and known[key].content_hash != problem.content_hash:
                raise RunError(
                    f"problem {key} has changed since {self.path} was made; use another --out"
                )
            known[key] = problem
        models = {model: dict(entry) for model, entry in self.models.items()}
        for plan in plans:
            entry = models.setdefault(
                plan.model,
                {
                    "label": plan.label,
                    "config": dict(plan.config),
                    "samples": 0,
                    "problems": 0,
                    "limit": None,
                },
            )
            entry["samples"] = max(entry["samples"], plan.samples)
            if plan.problems >= entry["problems"]:
                entry |= {"problems": plan.problems, "limit": plan.limit}
        if known.keys() != self.problems.keys():
            rows = (
                json.dumps({"key": key, "problem": problem.to_dict()}, ensure_ascii=False)
                for key, problem in known.items()
            )
            text = "".join(row + "\n" for row in rows)
            write_atomically(self.path / "problems.jsonl", text.encode())
            self.__dict__["problems"] = known
        environment = _environment()
        if models != self.models or environment != self.manifest["environments"][-1]["environment"]:
            environments = self.manifest["environments"]
            if environment != environments[-1]["environment"]:
                environments = [*environments, {"since": _now(), "environment": environment}]
            self._write_manifest(
                self.manifest
                | {
                    "models": models,
                    "environments": environments,
                    "problem_sets": _problem_sets(known),
                }
            )

    def failed(self, completion: Completion) -> None:
        """Keep the reason why a sample could not be had; a later sweep asks for it again."""
        row = {"at": _now()} | {
            name: getattr(completion, name)
            for name in ("model", "problem", "sample", "stage", "request", "detail")
        }
        with (self.path / "failures.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    @contextmanager
    def scoring(self, policy: str, settings: Mapping[str, Any]) -> Iterator[Log]:
        """The log of verdicts under a policy; it becomes the run's latest, complete or not."""
        policies = {
            name: value for name, value in self.manifest["policies"].items() if name != policy
        } | {policy: dict(settings)}
        if list(policies) != list(self.manifest["policies"]):
            self._write_manifest(self.manifest | {"policies": policies})
        with Log(self.path / "verdicts" / policy, *VERDICTS) as log:
            yield log

    def _write_manifest(self, manifest: dict[str, Any]) -> None:
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        write_atomically(self._manifest_path, text.encode())
        self.__dict__["manifest"] = manifest


@contextmanager
def writing(path: Path, identity: Identity, primary_k: int | None = None) -> Iterator[RunWriter]:
    """Make a run directory, or go on with the one that is there if it has this identity.

    ``primary_k`` is the k of pass@k that p values are adjusted for (`harness.stats.paired`). It is
    declared when the run is made, before anything was asked, and cannot be changed; 1 by default.
    """
    if path.exists() and not path.is_dir():
        raise RunError(f"{path} is not a directory; use another --out")
    manifest_path = path / "manifest.json"
    if manifest_path.exists():
        _refuse_other(Run(path), identity, primary_k)
    elif path.is_dir() and any(not entry.name.startswith(".") for entry in path.iterdir()):
        raise RunError(f"{path} holds other files and is not a run; use another --out")
    with ExitStack() as stack:
        with _write_errors(path):
            path.mkdir(parents=True, exist_ok=True)
            stack.enter_context(_lock(path))
            if not manifest_path.exists():
                stack.enter_context(_not_left_empty(path))
                manifest = {
                    "schema": SCHEMA,
                    "created": _now(),
                    "identity": identity.to_dict(),
                    "comparison": {"primary_k": primary_k or 1, "family": FAMILY},
                    "models": {},
                    "policies": {},
                    "problem_sets": {},
                    "environments": [{"since": _now(), "environment": _environment()}],
                }
                text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
                write_atomically(manifest_path, text.encode())
            run = stack.enter_context(_opened(path))
        _refuse_other(run, identity, primary_k)
        yield run


@contextmanager
def _not_left_empty(path: Path) -> Iterator[None]:
    """Remove a new run if nothing came of it because of a mistake, as where a key is wrong."""
    try:
        yield
    except UserError:
        answers = LogReader(path / "completions", *COMPLETIONS)
        notes = (path / "failures.jsonl", path / "state")
        if next(answers.heads(), None) is None and not any(p.exists() for p in notes):
            for made in ("completions", "verdicts"):
                shutil.rmtree(path / made, ignore_errors=True)
            for made in ("problems.jsonl", "manifest.json", ".lock"):
                (path / made).unlink(missing_ok=True)
            with suppress(OSError):  # what was there before stays
                path.rmdir()
        raise


@contextmanager
def rescoring(path: Path) -> Iterator[RunWriter]:
    """An existing run, to add verdicts to."""
    Run(path)
    with ExitStack() as stack:
        with _write_errors(path):
            stack.enter_context(_lock(path))
            run = stack.enter_context(_opened(path))
        yield run


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(f"cannot write to {path}: {error.strerror or error}") from error


@contextmanager
def _opened(path: Path) -> Iterator[RunWriter]:
    run = RunWriter(path)
    _ = run.manifest, run.problems  # whatever is damaged is found before anything is changed
    with Log(path / "completions", *COMPLETIONS) as run.log:
        yield run


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    import filelock

    lock = filelock.FileLock(path / ".lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise RunError(
            f"{path} is being written by another process; wait for it, or use another --out"
        ) from None
    try:
        yield
    finally:
        lock.release()


def _refuse_other(run: Run, identity: Identity, primary_k: int | None) -> None:
    declared = run.manifest["comparison"]["primary_k"]
    if primary_k not in (None, declared):
        raise RunError(
            f"{run.path} declared the primary k {declared} before anything was asked; leave "
            f"--primary-k out (compare -k {primary_k} shows it too), or use another --out"
        )
    there, here = run.manifest["identity"], identity.to_dict()
    if there == here:
        return
    differences = [
        f"{name} is {_shown(old)} there and {_shown(new)} here"
        for name, old, new in _differences(there, here)
        if not name.endswith("source")
    ]
    raise RunError(
        f"{run.path} was made by another configuration ({'; '.join(differences)}); "
        "use another --out, or the same settings to extend it"
    )


def _differences(old: Any, new: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(key), new.get(key), f"{name} {key}".strip())
    elif old != new:
        yield name, old, new


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _problem_sets(problems: Mapping[str, Problem]) -> dict[str, dict[str, Any]]:
    """How many problems of each subset there are, and the hash of their contents."""
    sets: dict[str, list[str]] = {}
    for problem in problems.values():
        sets.setdefault(problem.name, []).append(problem.content_hash)
    return {
        name: {"problems": len(hashes), "hash": digest(sorted(hashes))}
        for name, hashes in sets.items()
    }


@cache
def _environment() -> dict[str, Any]:
    """What the program runs on: versions, and the commit where it is a checkout."""
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": packages,
        "git": _git(),
    }


def _git() -> dict[str, Any] | None:
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None

    def ask(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
        return done.stdout.strip()

    try:
        commit = ask("rev-parse", "HEAD")
        changed = bool(ask("status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "changed": changed}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
