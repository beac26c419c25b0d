"""Prompts of several stages, searches, samples asked together, and models out of reach."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.harness import Run, Sampling, UserError, summarise, sweep
from calculus_harness.harness.core.requests import Completion, FinishReason, Request, sample_seed
from calculus_harness.harness.models import Model, ask_each, registry
from calculus_harness.harness.run.duplicates import DuplicateSamples
from calculus_harness.harness.run.job import consecutive
from calculus_harness.harness.run.problems import problems_of
from calculus_harness.harness.run.progress import Silent
from tests.harness.conftest import Command

STAGED = """+++
task = "integration"
description = "Two turns."
stages = ["reasoning", "answer"]
max_tokens = { answer = 7 }
+++
{% call user() %}Think of {{ integrand }}.{% endcall %}
{% if stage == "answer" %}
{% call assistant() %}{{ reasoning }}{% endcall %}
{% call user() %}So?{% endcall %}
{% endif %}
"""

#: Answers what it was told two turns before; the thought has the seed in it.
TALKER = """
def answer(messages, seed):
    with open(__file__ + ".asked", "a") as file:
        file.write(messages[-1]["content"] + "\\n")
    if len(messages) == 1:
        return f"thought {seed}: " + r"(x-1)e^x"
    return r"\\boxed{" + messages[1]["content"].partition(": ")[2] + "}"
"""

RANKED = r"""
def answer(messages, seed, count):
    return [r"\boxed{(x-1)e^x}" if rank == 1 else rf"\boxed{{x^{rank}}}" for rank in range(count)]
"""


def rows(run: Run) -> list[dict[str, Any]]:
    return list(run.completions.rows())


def python_model(folder: Path, source: str) -> str:
    path = folder / "own.py"
    path.write_text(source)
    return f"python/{path}:answer"


@pytest.fixture
def pair(tmp_path: Path) -> str:
    path = tmp_path / "two.jsonl"
    lines = [{"integrand": f"{n} x e^x", "id": f"p{n}"} for n in (1, 2)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


@pytest.fixture
def staged(tmp_path: Path) -> str:
    path = tmp_path / "staged.jinja"
    path.write_text(STAGED)
    return str(path)


def test_a_prompt_of_two_stages(tmp_path: Path, pair: str, staged: str) -> None:
    talker = python_model(tmp_path, TALKER)
    run = sweep([talker], [pair], prompt=staged, samples=2, out=tmp_path / "run")
    stages = {(row["problem"], row["sample"], row["stage"]): row for row in rows(run)}
    assert len(stages) == 8
    for (problem, sample, stage), row in stages.items():
        seed = sample_seed(0, problem, sample)
        assert row["seed"] == seed
        if stage == "answer":
            assert row["text"] == r"\boxed{(x-1)e^x}"
            reasoning = stages[problem, sample, "reasoning"]
            assert row["request"] != reasoning["request"]
            assert str(seed) in reasoning["text"]
    # Only answers are judged and counted.
    assert {row["stage"] for _, row in run.verdicts().heads()} == {"answer"}
    summary = summarise(run).to_dict()
    assert [row["samples"] for row in summary["rows"]][-1] == 4
    assert sum(row["status"] == "correct" for _, row in run.verdicts().heads()) == 2


def test_stages_go_on_where_they_were_stopped(tmp_path: Path, pair: str, staged: str) -> None:
    talker = python_model(tmp_path, TALKER)
    out = tmp_path / "run"
    undisturbed = sweep([talker], [pair], prompt=staged, samples=2, out=tmp_path / "whole")

    class Stop(Silent):
        def answered(self, completion: Completion) -> None:
            if completion.stage == "answer":
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep([talker], [pair], prompt=staged, samples=2, out=out, progress=Stop())
    log = tmp_path / "own.py.asked"
    log.unlink()
    run = sweep([talker], [pair], prompt=staged, samples=2, out=out)
    again = log.read_text().splitlines()
    assert again
    assert set(again) == {"So?"}  # no thought was asked for twice

    def texts_of(run: Run) -> dict[str, str]:
        return {row["key"]: row["text"] for row in rows(run)}

    assert texts_of(run) == texts_of(undisturbed)


def test_a_search_gives_ranked_answers(tmp_path: Path, pair: str) -> None:
    model = python_model(tmp_path, RANKED)
    sampling = Sampling(beams=5)
    run = sweep([model], [pair], samples=3, sampling=sampling, out=tmp_path / "run")
    assert sorted(
        (row["problem"][-2:], row["sample"], row.get("rank", 0)) for row in rows(run)
    ) == [(name, rank, rank) for name in ("p1", "p2") for rank in range(3)]
    # More of the same search: what was stored stays, the rest is added.
    wider = sweep([model], [pair], samples=5, sampling=sampling, out=tmp_path / "run")
    assert len(rows(wider)) == 10
    with pytest.raises(UserError, match="no 6 best"):
        sweep([model], [pair], samples=6, sampling=sampling, out=tmp_path / "run")


def test_samples_asked_together(tmp_path: Path, pair: str) -> None:
    model = python_model(tmp_path, RANKED)
    sampling = Sampling(grouped=True)
    run = sweep([model], [pair], samples=2, sampling=sampling, out=tmp_path / "run")
    assert {row["seed"] for row in rows(run)} == {
        sample_seed(0, problem, 0) for problem in run.problems
    }
    run = sweep([model], [pair], samples=4, sampling=sampling, out=tmp_path / "run")
    assert sorted(row["sample"] for row in rows(run)) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert {row["seed"] for row in rows(run) if row["sample"] > 1} == {
        sample_seed(0, problem, 2) for problem in run.problems
    }


def test_what_a_model_cannot_do_is_said_before_anything_is_asked(tmp_path: Path, pair: str) -> None:
    model = python_model(tmp_path, TALKER)
    for sampling, lacking in [
        (Sampling(beams=2), "beam search"),
        (Sampling(grouped=True), "several samples"),
        (Sampling(logprobs=True), "log-probabilities"),
        (Sampling(top_k=3, min_p=0.1), "top-k and no min-p"),
    ]:
        with pytest.raises(UserError, match=lacking):
            sweep([model], [pair], sampling=sampling, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert not (tmp_path / "own.py.asked").exists()


def test_missing_samples_as_runs() -> None:
    assert list(consecutive([0, 1, 3, 6, 7], 8, all_at_once=False)) == [
        range(2),
        range(3, 4),
        range(6, 8),
    ]
    assert list(consecutive([3], 8, all_at_once=True)) == [range(8)]
    assert list(consecutive([], 8, all_at_once=True)) == []


@dataclass(frozen=True, kw_only=True)
class Flaky(Model):
    """Unreachable for problems outside the file."""

    reachable: str

    def reaches(self, problem: str) -> bool:
        return problem in Path(self.reachable).read_text()

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async def ask(request: Request) -> Completion:
            if self.reaches(request.problem.id):
                return Completion.to(request, r"\boxed{(x-1)e^x}")
            return Completion.to(
                request, "", finish_reason=FinishReason.UNREACHABLE, detail="503 after 5 tries"
            )

        async for completion in ask_each(requests, ask, 2):
            yield completion


class Notices(Silent):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def notice(self, text: str) -> None:
        self.texts.append(text)


def test_what_was_out_of_reach_is_asked_again(tmp_path: Path, pair: str) -> None:
    file = tmp_path / "reachable"
    file.write_text("p1")
    model = Flaky(spec="flaky", reachable=str(file))
    notices = Notices()
    run = sweep([model], [pair], samples=2, out=tmp_path / "run", progress=notices)
    assert [row["problem"][-2:] for row in rows(run)] == ["p1", "p1"]
    assert any("2 of 4 requests got no answer (503 after 5 tries)" in t for t in notices.texts)
    failures = [json.loads(line) for line in (run.path / "failures.jsonl").read_text().splitlines()]
    assert [(row["problem"][-2:], row["sample"]) for row in failures] == [("p2", 0), ("p2", 1)]
    file.write_text("p1 p2")
    run = sweep([model], [pair], samples=2, out=tmp_path / "run")
    assert len(rows(run)) == 4


def test_errors_are_noticed_with_their_reason(tmp_path: Path, pair: str) -> None:
    model = python_model(tmp_path, "def answer(messages, seed): raise ValueError('no luck')")
    notices = Notices()
    sweep([model], [pair], samples=2, out=tmp_path / "run", progress=notices)
    [text] = notices.texts
    assert "4 of 4 answers are errors, the first: ValueError" in text
    assert "no luck" in text


def test_copies_are_noticed(tmp_path: Path, bench: str) -> None:
    model = python_model(
        tmp_path, "def answer(messages, seed): return 'I say ' + messages[0]['content']"
    )
    notices = Notices()
    sweep([model], [bench], samples=3, out=tmp_path / "run", progress=notices)
    assert any("on 24 of 24 problems all samples are the same text" in t for t in notices.texts)
    notices = Notices()
    sweep(
        [model],
        [bench],
        samples=3,
        sampling=Sampling(temperature=0),
        out=tmp_path / "greedy",
        progress=notices,
    )
    assert notices.texts == []


def test_repeats_counts_problems_not_samples() -> None:
    def say(problem: str, sample: int, text: str) -> Completion:
        return Completion("m", problem, "r", sample, "answer", 0, text)

    duplicates = DuplicateSamples()
    for problem in "abcdef":
        for sample in range(4):
            duplicates.add(
                say(problem, sample, "same" if problem in "abc" or sample < 3 else "other")
            )
    assert "on 3 of 6 problems" in duplicates.warning()
    duplicates.add(say("c", 9, "other"))
    assert duplicates.warning() == ""


@pytest.mark.parametrize(
    ("task", "target", "right", "wrong"),
    [
        ("derivation_step", {"label": 1}, r"The step follows: \boxed{1}", r"\boxed{0}"),
        ("calculus_step", {"label": 0}, "Label: 0", "Label: 1"),
        ("arithmetic", {"value": 12}, r"\boxed{12}", r"\boxed{13}"),
    ],
)
def test_other_tasks_are_judged_by_their_verifiers(
    tmp_path: Path, task: str, target: dict[str, Any], right: str, wrong: str
) -> None:
    prompt = tmp_path / "own.jinja"
    prompt.write_text(f'+++\ntask = "{task}"\n+++\n{{{{ text }}}}')
    problem = Problem("p", task, "own", "s", inputs={"text": "?"}, target=target)
    model = python_model(
        tmp_path, f"def answer(messages, seed): return [{right!r}, {wrong!r}][seed % 2]"
    )
    run = sweep(
        [model], ["own"], problems=[problem], prompt=str(prompt), samples=12, out=tmp_path / "run"
    )
    seeds = {row["sample"]: row["seed"] for row in rows(run)}
    statuses = {row["sample"]: row["status"] for _, row in run.verdicts().heads()}
    assert statuses == {n: "incorrect" if seed % 2 else "correct" for n, seed in seeds.items()}
    assert len(set(statuses.values())) == 2


def test_a_limit_keeps_perturbations_with_their_originals() -> None:
    specs = ["drills/monomials", "drills/negated", "drills/sums"]
    few, many = (problems_of(specs, limit, seed=1) for limit in (9, 30))
    assert len(few) == 9
    assert {problem.id for problem in few} <= {problem.id for problem in many}
    originals = {problem.id for problem in few if problem.subset == "monomials"}
    assert len(originals) == 3
    assert {problem.pair_parent for problem in few} - {None} == originals


def test_parts_of_a_subset_in_several_files(tmp_path: Path) -> None:
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, names in zip(paths, (["p", "q"], ["q", "r"]), strict=True):
        lines = [{"integrand": f"{name} x", "id": name, "variable": "x"} for name in names]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = [problem for path in paths for problem in problems_of([str(path)], None, 0)]
    for path, problems in zip(paths, (rows[:2], rows[2:]), strict=True):
        subset = [replace(problem, benchmark="own", subset="s") for problem in problems]
        path.write_text("".join(json.dumps(problem.to_dict()) + "\n" for problem in subset))
    specs = list(map(str, paths))
    assert [problem.id for problem in problems_of(specs, None, 0)] == ["p", "q", "r"]
    paths[1].write_text(paths[1].read_text().replace("r x", "5 x").replace('"r"', '"p"'))
    with pytest.raises(UserError, match="two different problems are called own/s/p"):
        problems_of(specs, None, 0)


def test_a_sweep_without_all_answers_has_another_status(
    cli: Command, tmp_path: Path, pair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry._BUILT_IN, "flaky", Flaky)
    file = tmp_path / "reachable"
    words = ["--model", "flaky/x", "-M", f"reachable={file}", "--benchmark", pair, "--out", "run"]
    for reachable, status in [("p1", 1), ("p1 p2", 0)]:
        file.write_text(reachable)
        result = cli("sweep", *words)
        assert result.returncode == status, result.stderr
        assert ("got no answer" in result.stderr) == bool(status)
