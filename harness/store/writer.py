"""Writing a run directory: a single process at a time, and only data of the run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ...benchmarks.problem import Problem
from ..core.errors import RunError, UserError
from ..core.exclusive import LockedError, exclusive
from ..core.requests import Completion, digest, problem_key
from .atomic import write_atomically
from .log.adoption import adopt
from .log.appending import Log
from .log.keys import KeyIndex
from .log.reader import LogReader
from .manifest import Identity, ModelPlan, environment, now
from .run import CERTIFICATES, COMPLETIONS, SCHEMA, VERDICTS, Run

#: The comparisons that p values are adjusted over, together: every subset with what it was made
#: from, or every two systems on every subset; every two systems on all common problems apart.
FAMILY = "contrasts of one compare at the primary k: all common problems; subsets"


class RunWriter(Run):
    """A run directory, locked and opened for writing by `writing` or `rescoring`.

    Attributes:
        log: the completions.
        stored: the keys of the completions.
        judged: by policy, the keys of the verdicts.
        dropped: number of verdicts that were dropped after a power cut, because the completion is
            missing or has another verdict.

    """

    log: Log
    stored: KeyIndex
    dropped: int = 0

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.judged: dict[str, KeyIndex] = {}

    @contextmanager
    def indexed(self, policy: str) -> Iterator[int]:
        """Keep the keys of a policy's verdicts at hand; yields how many verdicts were dropped."""
        with closing(KeyIndex(self._verdicts_of(policy), self.stored)) as index:
            dropped = 0
            if index.strays:
                with Log(self.path / "verdicts" / policy, *VERDICTS) as verdicts:
                    dropped = verdicts.remove(index.strays)
                index.refresh()
            self.judged[policy] = index
            try:
                yield dropped
            finally:
                del self.judged[policy]

    def extend(self, plans: Sequence[ModelPlan], problems: Sequence[Problem]) -> None:
        """Add problems and models to the run and the run's files."""
        # Everything is checked before the first write: a refused extension leaves the run as it
        # was.
        merged = dict(self.problems)
        for problem in problems:
            key = problem_key(problem)
            if key in merged and merged[key].content_hash != problem.content_hash:
                raise RunError(
                    f"problem {key} has changed since {self.path} was made; use another --out"
                )
            merged[key] = problem
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
            # A smaller sweep never shrinks the plan of a run.
            entry["samples"] = max(entry["samples"], plan.samples)
            if plan.deterministic:
                entry["deterministic"] = True
            if plan.problems >= entry["problems"]:
                entry |= {"problems": plan.problems, "limit": plan.limit}
        # Problems first: a manifest must not name problems that a kill kept out of the file.
        if merged.keys() != self.problems.keys():
            rows = (
                json.dumps({"key": key, "problem": problem.to_dict()}, ensure_ascii=False)
                for key, problem in merged.items()
            )
            text = "".join(row + "\n" for row in rows)
            write_atomically(self.path / "problems.jsonl", text.encode())
            self.__dict__["problems"] = merged
        current = environment()
        if models != self.models or current != self.manifest["environments"][-1]["environment"]:
            environments = self.manifest["environments"]
            if current != environments[-1]["environment"]:
                environments = [*environments, {"since": now(), "environment": current}]
            self._write_manifest(
                self.manifest
                | {
                    "models": models,
                    "environments": environments,
                    "problem_sets": _problem_sets(merged),
                }
            )

    def forget(self, models: Iterable[str]) -> None:
        """Remove planned models without stored completions."""
        left_out = set(models)
        kept_models = {
            model: entry for model, entry in self.models.items() if model not in left_out
        }
        if len(kept_models) < len(self.models):
            self._write_manifest(self.manifest | {"models": kept_models})

    def failed(self, completion: Completion) -> None:
        """Store why a request got no answer; a later sweep repeats the request."""
        row = {"at": now()} | {
            name: getattr(completion, name)
            for name in ("model", "problem", "sample", "stage", "request", "detail")
        }
        with (self.path / "failures.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def discard(self, unwanted: Callable[[Mapping[str, Any]], bool]) -> int:
        """Remove completions, and their verdicts, for good.

        Verdicts go first: after a kill, the run has completions without verdicts.

        Args:
            unwanted: whether to remove a row of either log, by the common fields: ``model``,
                ``problem``, ``sample``, ``stage`` and ``finish_reason``.

        Returns:
            The number of removed completions.

        """
        for policy in self.policies:
            with Log(self.path / "verdicts" / policy, *VERDICTS) as verdicts:
                verdicts.discard(unwanted)
        removed = self.log.discard(unwanted)
        for index in (self.stored, *self.judged.values()):
            index.refresh()
        return removed

    def drop_model(self, model: str) -> int:
        """Remove a model with all stored rows; returns the number of removed completions.

        The manifest is last: a model of which a kill has left a part can be dropped again.
        """
        removed = self.discard(lambda row: bool(row["model"] == model))
        failures = self.path / "failures.jsonl"
        if failures.exists():
            mark = json.dumps({"model": model})[1:-1].encode()  # as `failed` writes it
            with failures.open("rb") as file:
                write_atomically(failures, b"".join(line for line in file if mark not in line))
        for folder in ("state", "scores"):
            shutil.rmtree(self.path / folder / model, ignore_errors=True)
        models = {name: entry for name, entry in self.models.items() if name != model}
        self._write_manifest(self.manifest | {"models": models})
        return removed

    def drop_policy(self, policy: str) -> None:
        """Remove the verdicts of a policy."""
        policies = {
            name: entry for name, entry in self.manifest["policies"].items() if name != policy
        }
        self._write_manifest(self.manifest | {"policies": policies})
        shutil.rmtree(self.path / "verdicts" / policy)

    @contextmanager
    def scoring(self, policy: str, settings: Mapping[str, Any]) -> Iterator[Log]:
        """Open the log of verdicts of a policy, which becomes the run's latest."""
        policies = {
            name: value for name, value in self.manifest["policies"].items() if name != policy
        } | {policy: dict(settings)}
        if list(policies) != list(self.manifest["policies"]):
            self._write_manifest(self.manifest | {"policies": policies})
        with ExitStack() as stack:
            if policy not in self.judged:
                adopt(self.path / "verdicts" / policy)
                stack.enter_context(self.indexed(policy))
            yield stack.enter_context(Log(self.path / "verdicts" / policy, *VERDICTS))

    def adopt(self, policy: str) -> None:
        """Take in the verdicts of ended lanes; no log of the policy may be open."""
        adopt(self.path / "verdicts" / policy)
        if policy in self.judged:
            self.judged[policy].refresh()

    def certifying(self, policy: str) -> Log:
        """The log of certificates of a policy's verdicts, to be used as a context manager."""
        return Log(self.path / "certificates" / policy, *CERTIFICATES)

    def _write_manifest(self, manifest: dict[str, Any]) -> None:
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        write_atomically(self._manifest_path, text.encode())
        self.__dict__["manifest"] = manifest


@contextmanager
def writing(path: Path, identity: Identity, primary_k: int | None = None) -> Iterator[RunWriter]:
    """Create a run directory, or open an existing run of the same identity.

    Args:
        path: the directory.
        identity: the settings that cannot change within a run.
        primary_k: the k of pass@k that p values are adjusted for (`harness.stats.paired`). The k is
            declared when the run is created, and fixed; 1 by default.

    Raises:
        RunError: the directory is no run, is locked, or has another identity.

    """
    if path.exists() and not path.is_dir():
        raise RunError(f"{path} is not a directory; use another --out")
    # Refuse before locking, for a message without side effects; the run is checked again under the
    # lock, as another process may have written it meanwhile.
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
                    "created": now(),
                    "identity": identity.to_dict(),
                    "comparison": {"primary_k": primary_k or 1, "family": FAMILY},
                    "models": {},
                    "policies": {},
                    "problem_sets": {},
                    "environments": [{"since": now(), "environment": environment()}],
                }
                text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
                write_atomically(manifest_path, text.encode())
            run = stack.enter_context(_opened(path))
        _refuse_other(run, identity, primary_k)
        yield run


@contextmanager
def _not_left_empty(path: Path) -> Iterator[None]:
    """Remove a new run after a `UserError`, such as a wrong key, before any answer."""
    try:
        yield
    except UserError:
        completions = LogReader(path / "completions", *COMPLETIONS)
        kept_paths = (path / "failures.jsonl", path / "state")
        if next(completions.heads(), None) is None and not any(p.exists() for p in kept_paths):
            for name in ("completions", "verdicts"):
                shutil.rmtree(path / name, ignore_errors=True)
            for name in ("problems.jsonl", "manifest.json", ".lock", ".writer"):
                (path / name).unlink(missing_ok=True)
            with suppress(OSError):  # what was there before stays
                path.rmdir()
        raise


@contextmanager
def rescoring(path: Path) -> Iterator[RunWriter]:
    """Open an existing run to change the contents, without requests to models."""
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
        raise RunError(f"cannot write {path}: {error.strerror or error}") from error


@contextmanager
def _opened(path: Path) -> Iterator[RunWriter]:
    run = RunWriter(path)
    _ = run.manifest, run.problems  # read, so that damage is found before anything is changed
    for leftover in path.glob("*.tmp"):
        leftover.unlink()
    with ExitStack() as stack:
        run.log = stack.enter_context(Log(path / "completions", *COMPLETIONS))
        run.stored = stack.enter_context(closing(KeyIndex(run.log)))
        # Before anything is asked again: a verdict must not be taken for that of another answer.
        for policy in run.policies:
            adopt(path / "verdicts" / policy)  # of a command that was killed
            run.dropped += stack.enter_context(run.indexed(policy))
        yield run


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(exclusive(path))
        except LockedError:
            raise RunError(
                f"{path} is being written by another process; wait for it, or use another --out"
            ) from None
        yield


def _refuse_other(run: Run, identity: Identity, primary_k: int | None) -> None:
    declared = run.manifest["comparison"]["primary_k"]
    if primary_k not in (None, declared):
        raise RunError(
            f"{run.path} declared the primary k {declared} before anything was asked; leave "
            f"--primary-k out (compare -k {primary_k} shows it too), or use another --out"
        )
    stored, requested = run.manifest["identity"], json.loads(json.dumps(identity.to_dict()))
    if stored == requested:
        return
    differences = [
        f"{name} is {_shortened_json(old)} there and {_shortened_json(new)} here"
        for name, old, new in _differences(stored, requested)
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


def _shortened_json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _problem_sets(problems: Mapping[str, Problem]) -> dict[str, dict[str, Any]]:
    """The number of problems of each subset, and the hash of the problems' contents."""
    sets: dict[str, list[str]] = {}
    for problem in problems.values():
        sets.setdefault(problem.name, []).append(problem.content_hash)
    return {
        name: {"problems": len(hashes), "hash": digest(sorted(hashes))}
        for name, hashes in sets.items()
    }
