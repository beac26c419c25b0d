"""`view`: a problem or a sample of a run in full, or all samples under given conditions."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from ...benchmarks.problem import Problem
from ...prompts import ANSWER
from ...rewards.records import Record
from ...rewards.verdict import Verdict
from ..core.errors import UserError, suggest
from ..core.program import program
from ..core.wording import counted
from ..stats.verdict_changes import reason
from ..store import counts
from ..store.log.shards import Place, Tests
from ..store.run import Run
from ..store.samples import Prompts


@dataclass(frozen=True)
class ViewedSample:
    """A sample with the model's name and the prompt; completion and verdict are as stored."""

    model: str
    prompt: str | None
    completion: dict[str, Any]
    verdict: dict[str, Any] | None


@dataclass(frozen=True)
class SolvedProblem:
    """The number of judged samples of a problem, and of correct samples, for a model."""

    model: str
    correct: int
    samples: int


@dataclass(frozen=True)
class View(Record):
    """A problem with samples."""

    key: str
    problem: Problem
    policy: str | None
    solved: tuple[SolvedProblem, ...]
    samples: tuple[ViewedSample, ...]


def find(run: Run, wanted: str) -> tuple[str, int | None]:
    """The problem and the sample of ``PROBLEM`` or ``PROBLEM#SAMPLE``.

    PROBLEM is a key (``bee/qualifier/q001``), an id (``q001``), or the unique beginning of a key or
    an id. Otherwise a `UserError` names similar problems.
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
    fitting = (
        [key for key, problem in problems.items() if test(key, problem.id)] for test in tests
    )
    keys = next((keys for keys in fitting if keys), [])
    if not keys:
        ids = {problem.id: key for key, problem in problems.items()}
        hint = suggest(name, problems if "/" in name else ids)
        raise UserError(f"{run.path} has no problem {name!r}; {_cut(hint)}")
    if len(keys) > 1:
        key_list = ", ".join(keys[:5]) + (", ..." if len(keys) > 5 else "")
        raise UserError(f"{name!r} means {counted(len(keys), 'problem')}: {key_list}")
    return keys[0], int(number) if hash_ else None


def _cut(hint: str) -> str:
    return hint if len(hint) <= 300 else hint[:300] + " ..."


def views(
    run: Run,
    wanted: str | None = None,
    *,
    statuses: Collection[str] = (),
    subset: str | None = None,
    model: str | None = None,
    policy: str | None = None,
) -> tuple[int, Iterator[View]]:
    """The problems of a run with the samples under given conditions.

    Args:
        run: the run.
        wanted: the only problem or sample to show, as for `find`.
        statuses: the statuses of samples to show.
        subset: the only benchmark or subset to show (``bee``, ``bee/competition``).
        model: the only model to show, given by label, hash, or the beginning of either.
        policy: the name of the verdicts; by default the run's latest complete verdicts.

    Returns:
        The number of problems, and the problems, read one at a time.

    Raises:
        UserError: the run lacks the problem, sample, subset, model or policy.

    """
    only, sample = find(run, wanted) if wanted is not None else (None, None)
    models = run.models_named(model) if model is not None else tuple(run.models)
    keys = _keys_of(run, subset) & ({only} if only is not None else run.problems.keys())
    policy = policy or run.policy
    verdicts = run.verdicts(policy)

    tests: dict[str, Callable[[Any], bool]] = {
        "problem": keys.__contains__,
        "model": models.__contains__,
    }
    if sample is not None:
        tests["sample"] = sample.__eq__
    of_status: Tests = {"status": statuses.__contains__} if statuses else {}
    judged = {
        row["key"]: (position, row) for position, row in verdicts.heads({**tests, **of_status})
    }
    chosen = {_sample_of(row) for _, row in judged.values()}  # with their earlier stages
    rows: dict[str, list[tuple[Place, dict[str, Any]]]] = {}
    for position, row in run.completions.heads(tests):
        if not statuses or _sample_of(row) in chosen:
            rows.setdefault(row["problem"], []).append((position, row))
    if only in keys and not rows and not statuses:
        raise UserError(f"{run.path} has no such sample of {only}; {_samples_there(run, only)}")
    ordered = [key for key in run.problems if key in rows]
    place_of = {model: index for index, model in enumerate(run.models)}
    solved, prompts, labels = _solved(run, policy), Prompts(run), run.labels

    def viewed(key: str) -> View:
        problem = run.problem(key)
        positions = sorted(
            rows[key], key=lambda entry: (place_of[entry[1]["model"]], entry[1]["sample"])
        )
        completions = [
            run.completions.read(position) for position, _ in positions
        ]  # stages as they came
        return View(
            key=key,
            problem=problem,
            policy=policy,
            solved=solved.get(key, ()),
            samples=tuple(
                ViewedSample(
                    labels[row["model"]],
                    prompt,
                    row,
                    verdicts.read(judged[row["key"]][0]) if row["key"] in judged else None,
                )
                for row, prompt in _with_prompts(prompts, problem, completions)
            ),
        )

    return len(ordered), map(viewed, ordered)


def view(run: Run, wanted: str, *, model: str | None = None, policy: str | None = None) -> View:
    """All stored data of a problem or sample; the arguments are as in `views`."""
    return next(views(run, wanted, model=model, policy=policy)[1])


def _keys_of(run: Run, subset: str | None) -> set[str]:
    """The keys of the problems of a benchmark or subset; without a name, the keys of all
    problems.
    """
    if subset is None:
        return set(run.problems)
    names = {
        name for problem in run.problems.values() for name in (problem.name, problem.benchmark)
    }
    if subset not in names:
        raise UserError(
            f"{run.path} has no subset {subset!r}; {_cut(suggest(subset, sorted(names)))}"
        )
    return {
        key for key, problem in run.problems.items() if subset in (problem.name, problem.benchmark)
    }


def _sample_of(row: Mapping[str, Any]) -> tuple[str, str, int]:
    return row["model"], row["problem"], row["sample"]


def _samples_there(run: Run, key: str) -> str:
    heads = run.completions.heads({"problem": key.__eq__})
    numbers = sorted({row["sample"] for _, row in heads})
    return f"it has the samples {numbers[0]} to {numbers[-1]}" if numbers else "it has no samples"


def _solved(run: Run, policy: str | None) -> dict[str, tuple[SolvedProblem, ...]]:
    """For each problem, the number of correct samples among all judged samples of each model."""
    sums = counts.totals(run.verdicts(policy))
    return {
        key: tuple(
            SolvedProblem(
                label, int(sums[model, key].get("correct", 0)), int(sums[model, key]["samples"])
            )
            for model, label in run.labels.items()
            if (model, key) in sums
        )
        for key in run.problems
    }


def _with_prompts(
    prompts: Prompts, problem: Problem, rows: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], str | None]]:
    texts: dict[tuple[str, int], dict[str, str]] = {}
    for row in rows:
        earlier = texts.setdefault((row["model"], row["sample"]), {})
        rendered = prompts.render(problem, earlier)
        yield row, str(rendered) if rendered is not None else None
        if row["stage"] != ANSWER:
            earlier[row["stage"]] = row["text"]


def as_text(viewed: View, colours: bool = False) -> str:
    """The output of `print_view`, with or without the terminal's colours."""
    file = io.StringIO()
    print_view(viewed, Console(file=file, force_terminal=colours, no_color=not colours))
    return file.getvalue()


def print_view(viewed: View, console: Console | None = None) -> None:
    """Print the problem, the prompts, completions and verdicts in full."""
    console = console or Console()

    def say(text: str, style: str | None = None) -> None:
        # Colours of the terminal that a text holds are for nobody.
        printable = "".join(c if c >= " " or c in "\n\t" else "\ufffd" for c in text)
        console.print(printable, style=style, soft_wrap=True, markup=False, highlight=False)

    def print_part(title: str, text: str) -> None:
        if text:
            say(f"--- {title} ---", "dim")
            say(text.rstrip("\n"))

    problem = viewed.problem
    say(viewed.key, "bold")
    for name, value in (problem.inputs.to_dict() | problem.target.to_dict()).items():
        say(f"  {name:<16}{value}")
    if problem.pair_parent:
        say(f"  {'made from':<16}{problem.pair_parent} ({problem.perturbation})")
    for solved_problem in viewed.solved:
        share = f"{solved_problem.correct}/{solved_problem.samples}"
        say(f"  {'correct':<16}{share:<7}{solved_problem.model}")
    last_prompt = None
    for sample in viewed.samples:
        completion, prompt = sample.completion, sample.prompt
        stage = "" if completion["stage"] == ANSWER else f", stage {completion['stage']}"
        say("")
        say(f"{sample.model}, sample {completion['sample']}{stage}", "bold")
        if prompt != last_prompt:
            print_part("prompt", prompt if prompt is not None else "(cannot be rendered any more)")
            last_prompt = prompt
        print_part("reasoning", completion.get("reasoning", ""))
        print_part("completion", completion["text"] or "(nothing)")
        tokens = completion.get("completion_tokens")
        say(
            f"--- finished by {completion['finish_reason']}"
            + (f" ({completion['detail']})" if completion.get("detail") else "")
            + (f", {counted(tokens, 'token')}" if tokens is not None else "")
            + f", {completion.get('latency', 0.0):.2f} s ---",
            "dim",
        )
        if sample.verdict is not None:
            verdict = Verdict.from_dict(sample.verdict)
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
            say(f"not judged: {program()} score", "yellow")
