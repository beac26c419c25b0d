"""The problems on the page: a row for each problem, with every model's number of correct samples.

The index holds the data of all problems that rows and filters need. Formulas and prompts are in
chunks (`packing`), which the page unpacks when a problem is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ....benchmarks.payloads import IntegrationInputs
from ....benchmarks.problem import Problem
from ....prompts import Rendered
from ....rewards.verdict import Status
from ...core.requests import FinishReason
from ...core.wording import counted
from ...stats.clusters import ParentIndex
from ...stats.compare import labels_of
from ...stats.findings.failures import Failure
from ...store import counts
from ...store.run import Run
from ...store.samples import Prompts
from ..sources import Sources
from .packing import CHUNK, WORDS, formula, pack, shortened

#: Characters of a prompt: its head and its tail, with examples between them. A longer request is
#: not shown raw.
PROMPT = (4_000, 4_000)
STATUSES, FINISHES = tuple(Status), tuple(FinishReason)
#: The first is that of a correct sample.
FAILURES = ("", *Failure)


@dataclass(frozen=True)
class PageProblems:
    """The problems of all runs; a problem that several runs have occurs once.

    ``positions`` maps the index of a run and the problem's key to the position of the problem in
    ``index``. ``models`` has, for each model in the order of the page's columns, the index of the
    run, the hash and the name.
    """

    index: dict[str, Any]
    chunks: list[str]
    positions: dict[tuple[int, str], int]
    models: list[tuple[int, str, str]]


def page_problems(sources: Sources) -> PageProblems:
    """Collect the problems of all runs with counts."""
    # A problem is the same in two runs if key and content are: runs may have been made by different
    # versions of a benchmark.
    indices: dict[tuple[int, str], int] = {}
    index_by_identity: dict[tuple[str, str], int] = {}
    first_problems: list[tuple[int, str, Problem]] = []
    parents: list[int] = []
    for at, run in enumerate(sources.runs):
        for key, problem in run.problems.items():
            identity = key, problem.content_hash if len(sources.runs) > 1 else ""
            problem_index = index_by_identity.setdefault(identity, len(first_problems))
            if problem_index == len(first_problems):
                first_problems.append((at, key, problem))
            indices[at, key] = problem_index
    # A parent is looked up in the run of the first occurrence, and named by the common index.
    origins = [ParentIndex(run.problems) for run in sources.runs]
    for at, _, problem in first_problems:
        parent = origins[at].find(problem, problem.pair_parent) if problem.pair_parent else None
        parents.append(-1 if parent is None else indices[at, parent])
    models = [
        (at, model, name) for at, names in enumerate(sources.names) for model, name in names.items()
    ]
    subsets = list(dict.fromkeys(problem.name for _, _, problem in first_problems))
    standings = sources.findings.standings if sources.findings else ()
    scored = {standing.model for standing in standings if standing.scored}
    # Columns instead of rows, for a compact index.
    index = {
        "key": [key for _, key, _ in first_problems],
        "subset": [subsets.index(problem.name) for _, _, problem in first_problems],
        "asked": [question(problem)[:WORDS] for _, _, problem in first_problems],
        "labels": [" ".join(_labels(problem)) for _, _, problem in first_problems],
        "parent": parents,
        "counts": list(_counts(sources, indices, models, len(first_problems))),
        "names": {
            "run": [str(run.path) for run in sources.runs],
            "model": [name for _, _, name in models],
            "short": [sources.short_names[name] for _, _, name in models],
            "modelRun": [at for at, _, _ in models],
            "scored": [name in scored for _, _, name in models],
            "subset": subsets,
            "status": list(STATUSES),
            "finish": list(FINISHES),
            "failure": list(FAILURES),
            "request": [_settings(sources.runs[at], model) for at, model, _ in models],
        },
    }
    # Details are unpacked only for opened problems, chunk by chunk.
    prompts = [Prompts(run) for run in sources.runs]
    rows = [_details(at, problem, prompts) for at, _, problem in first_problems]
    chunks = [pack(rows[start : start + CHUNK]) for start in range(0, len(rows), CHUNK)]
    return PageProblems(index, chunks, indices, models)


def question(problem: Problem) -> str:
    """The question, as a formula if possible."""
    if isinstance(problem.inputs, IntegrationInputs):
        return problem.inputs.integrand
    entries = problem.inputs.to_dict().values()
    return " ; ".join(str(entry) for entry in entries if isinstance(entry, str | int))


def _labels(problem: Problem) -> Iterator[str]:
    """The techniques and the functions of a problem, for the search field."""
    yield from labels_of(problem, "tag")
    yield from labels_of(problem, "operator")


def _counts(
    sources: Sources,
    positions: dict[tuple[int, str], int],
    models: list[tuple[int, str, str]],
    size: int,
) -> Iterator[dict[str, list[int]]]:
    """For each model, lists over all problems: the number of samples, of correct samples, and the
    verdict statuses as bits.
    """
    totals = [_totals(run, sources.policy) for run in sources.runs]
    for at, model, _ in models:
        samples, correct, seen = [0] * size, [0] * size, [0] * size
        for key, sums in counts.of_model(totals[at], model).items():
            if (at, key) in positions:
                row = positions[at, key]
                samples[row] = int(sums["samples"])
                correct[row] = int(sums.get(Status.CORRECT, 0))
                seen[row] = sum(1 << bit for bit, name in enumerate(STATUSES) if sums.get(name))
        yield {"samples": samples, "correct": correct, "seen": seen}


def _totals(run: Run, policy: str | None) -> Any:
    return counts.totals(run.verdicts(policy)) if policy else {}


def _details(at: int, problem: Problem, prompts: list[Prompts]) -> dict[str, Any]:
    """The details of an opened problem, without samples."""
    facts = [
        ("assumed", f"{name} {assumption}") for name, assumption in problem.assumptions.items()
    ]
    facts += [("technique", ", ".join(labels_of(problem, "tag")))]
    facts += [("perturbation", problem.perturbation or "")]
    rendered = prompts[at].render(problem)
    return {
        "asked": formula(question(problem)),
        "reference": formula(problem.target.reference or ""),
        "facts": [fact for fact in facts if fact[1]],
        "prompt": shortened(str(rendered), *PROMPT) if rendered is not None else None,
        "request": _request(rendered) if rendered is not None else None,
    }


def _request(rendered: Rendered) -> dict[str, Any]:
    """The prompt as sent to a server; empty for too long a prompt."""
    request = rendered.to_dict()
    if len(json.dumps(request)) > sum(PROMPT):
        return {"prompt": f"as shown above; {counted(len(str(rendered)), 'character')}"}
    return request


def _settings(run: Run, model: str) -> dict[str, Any]:
    """The fields of every request to a model, except prompt and seed."""
    config = {name: value for name, value in run.models[model]["config"].items() if value}
    return {"config": config, "sampling": run.manifest["identity"]["sampling"]}
