"""`view`: one problem, or one sample, of a run in full."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from ...benchmarks.problem import Problem
from ...prompts import ANSWER
from ...rewards.verdict import Verdict
from ..core.errors import UserError, suggest
from ..stats.verdict_changes import reason
from ..store.run import Run
from ..store.samples import Prompts


@dataclass(frozen=True)
class View:
    """One problem with its samples; rows as they are stored."""

    key: str
    problem: Problem
    policy: str | None
    labels: dict[str, str]  # by model
    samples: tuple[tuple[dict[str, Any], dict[str, Any] | None, str | None], ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "problem": self.problem.to_dict(),
            "policy": self.policy,
            "samples": [
                {
                    "label": self.labels[completion["model"]],
                    "prompt": prompt,
                    "completion": completion,
                    "verdict": judged,
                }
                for completion, judged, prompt in self.samples
            ],
        }


def find(run: Run, wanted: str) -> tuple[str, int | None]:
    """The problem, and the sample, that ``PROBLEM`` or ``PROBLEM#SAMPLE`` means.

    PROBLEM is a key (``bee/qualifier/q001``), an id (``q001``), or the beginning of one of these
    that means a single problem. Raises `UserError` with near misses.
    """
    name, hash_, number = wanted.rpartition("#") if "#" in wanted else (wanted, "", "")
    if hash_ and not number.isdigit():
        raise UserError(f"a sample is a number, as in {name}#0, not {number!r}")
    problems = run.problems
    tests: tuple[Callable[[str, str], bool], ...] = (
        lambda key, id_: key == name,
        lambda key, id_: id_ == name,
        lambda key, id_: bool(name) and (key.startswith(name) or id_.startswith(name)),
    )
    fitting = ([key for key, one in problems.items() if test(key, one.id)] for test in tests)
    keys = next((keys for keys in fitting if keys), [])
    if not keys:
        ids = {problem.id: key for key, problem in problems.items()}
        hint = suggest(name, problems if "/" in name else ids)
        raise UserError(f"{run.path} has no problem {name!r}; {_cut(hint)}")
    if len(keys) > 1:
        shown = ", ".join(keys[:5]) + (", ..." if len(keys) > 5 else "")
        raise UserError(f"{name!r} means {len(keys)} problems: {shown}")
    return keys[0], int(number) if hash_ else None


def _cut(hint: str) -> str:
    return hint if len(hint) <= 300 else hint[:300] + " ..."


def view(
    run: Run,
    wanted: str,
    *,
    model: str | None = None,
    policy: str | None = None,
) -> View:
    """Everything stored of one problem or sample; ``model`` is a label, its beginning or a hash."""
    key, sample = find(run, wanted)
    models = _models(run, model)

    def fits(row: dict[str, Any]) -> bool:
        return (
            row["problem"] == key
            and row["model"] in models
            and (sample is None or row["sample"] == sample)
        )

    policy = policy or run.policy
    verdicts = run.verdicts(policy)
    judged = {row["key"]: verdicts.read(place) for place, row in verdicts.heads() if fits(row)}
    completions = run.completions
    rows = [completions.read(place) for place, row in completions.heads() if fits(row)]
    order = {model: place for place, model in enumerate(run.models)}
    rows.sort(key=lambda row: (order[row["model"]], row["sample"]))  # stages as they came
    if not rows:
        there = sorted({row["sample"] for _, row in completions.heads() if row["problem"] == key})
        have = f"it has the samples {there[0]} to {there[-1]}" if there else "it has no samples"
        raise UserError(f"{run.path} has no such sample of {key}; {have}")
    return View(
        key=key,
        problem=run.problem(key),
        policy=policy,
        labels={model: entry["label"] for model, entry in run.models.items()},
        samples=tuple(
            (row, judged.get(row["key"]), shown)
            for row, shown in _with_prompts(run, run.problem(key), rows)
        ),
    )


def _with_prompts(
    run: Run, problem: Problem, rows: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], str | None]]:
    prompts = Prompts(run)
    texts: dict[tuple[str, int], dict[str, str]] = {}
    for row in rows:
        earlier = texts.setdefault((row["model"], row["sample"]), {})
        shown = prompts.shown(problem, earlier)
        yield row, str(shown) if shown is not None else None
        if row["stage"] != ANSWER:
            earlier[row["stage"]] = row["text"]


def _models(run: Run, wanted: str | None) -> set[str]:
    if wanted is None:
        return set(run.models)
    labels = {model: entry["label"] for model, entry in run.models.items()}
    exact = {model for model, label in labels.items() if label == wanted}
    matches = exact or {
        model
        for model, label in labels.items()
        if label.startswith(wanted) or model.startswith(wanted)
    }
    if not matches:
        raise UserError(f"{run.path} has no model {wanted!r}; {suggest(wanted, labels.values())}")
    return matches


def print_view(shown: View, console: Console | None = None) -> None:
    """Print the problem, the prompts, completions and verdicts in full."""
    console = console or Console()

    def say(text: str, style: str | None = None) -> None:
        # Colours of the terminal that a text holds are for nobody.
        shown = "".join(c if c >= " " or c in "\n\t" else "\ufffd" for c in text)
        console.print(shown, style=style, soft_wrap=True, markup=False, highlight=False)

    def part(title: str, text: str) -> None:
        if text:
            say(f"--- {title} ---", "dim")
            say(text.rstrip("\n"))

    problem = shown.problem
    say(shown.key, "bold")
    for name, value in {**problem.inputs, **problem.target}.items():
        say(f"  {name:<16}{value}")
    if problem.pair_parent:
        say(f"  {'made from':<16}{problem.pair_parent} ({problem.perturbation})")
    last_prompt = None
    for completion, judged, prompt in shown.samples:
        label = shown.labels[completion["model"]]
        stage = "" if completion["stage"] == ANSWER else f", stage {completion['stage']}"
        say("")
        say(f"{label}, sample {completion['sample']}{stage}", "bold")
        if prompt != last_prompt:
            part("prompt", prompt if prompt is not None else "(cannot be rendered any more)")
            last_prompt = prompt
        part("reasoning", completion.get("reasoning", ""))
        part("completion", completion["text"] or "(nothing)")
        tokens = completion.get("completion_tokens")
        say(
            f"--- finished by {completion['finish_reason']}"
            + (f" ({completion['detail']})" if completion.get("detail") else "")
            + (f", {tokens} tokens" if tokens is not None else "")
            + f", {completion.get('latency', 0.0):.2f} s ---",
            "dim",
        )
        if judged is not None:
            verdict = Verdict.from_dict(judged)
            colour = {"correct": "green", "incorrect": "red"}.get(verdict.status, "yellow")
            say(verdict.status.replace("_", " "), f"bold {colour}")
            evidence = verdict.evidence
            for name, value in (
                ("answer", verdict.answer or ""),
                ("found by", evidence.extracted_by),
                ("read as", evidence.reading),
                ("because", reason(verdict)),
                ("method", f"{evidence.method}, {1000 * evidence.seconds:.1f} ms"),
            ):
                if value:
                    say(f"  {name:<16}{value}")
        elif completion["stage"] == ANSWER:
            say("not judged: run.py score", "yellow")
