"""inspect_ai itself on our tasks, with the mock model and with a server."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

inspect_ai = pytest.importorskip("inspect_ai", reason="needs the extra 'inspect'")
pytestmark = pytest.mark.inspect

from inspect_ai.log import EvalLog, read_eval_log  # noqa: E402
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model  # noqa: E402

from calculus_harness import harness  # noqa: E402
from calculus_harness.benchmarks.registry import names, resolve  # noqa: E402
from calculus_harness.harness.core.errors import ModelError, UserError  # noqa: E402
from calculus_harness.harness.integrations import for_inspect  # noqa: E402
from calculus_harness.harness.models import create  # noqa: E402
from calculus_harness.harness.report.export import export_run  # noqa: E402
from calculus_harness.prompts import PromptError  # noqa: E402
from tests.harness.integrations.local_model import ANSWERS, answer, server, write_problems  # noqa: E402

ROOT = Path(__file__).parents[3]
EXPECTED = [status for _, status in ANSWERS.values()]


def mock(say: Callable[[list[Any]], str], stop_reason: str = "stop") -> Model:
    def output(messages: list[Any], *_: Any) -> ModelOutput:
        reply = ModelOutput.from_content("mockllm", say(messages), stop_reason=stop_reason)  # type: ignore[arg-type]
        # Otherwise inspect_ai counts tokens with an encoding that it downloads.
        reply.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return reply

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def evaluate(task: Any, model: Model, log_dir: Path, **options: Any) -> EvalLog:
    [log] = inspect_ai.eval(task, model=model, display="none", log_dir=str(log_dir), **options)
    assert log.status == "success", log.error
    return log


def last_text(messages: list[Any]) -> str:
    return str(messages[-1].text)


def test_verdicts_become_scores(tmp_path: Path) -> None:
    task = for_inspect.problems(write_problems(tmp_path))
    log = evaluate(task, mock(lambda messages: answer(last_text(messages))), tmp_path)
    assert log.results is not None
    assert log.samples is not None
    [verified] = log.results.scores
    assert (verified.scored_samples, verified.unscored_samples) == (6, 1)
    assert verified.metrics["accuracy"].value == pytest.approx(4 / 6)
    assert verified.metrics["stderr"].value > 0
    scores = [(sample.scores or {})["verified"] for sample in log.samples]
    assert [(score.metadata or {})["status"] for score in scores] == EXPECTED
    assert [score.value for score in scores[:-1]] == ["C", "C", "C", "I", "N", "C"]
    assert math.isnan(scores[-1].as_float())
    assert (scores[-1].reason, scores[4].reason) == ("undecided", "no_response")
    assert scores[0].answer == "x^2 + C"
    assert (scores[3].metadata or {})["evidence"]["witness"]
    assert str(log.samples[0].id).endswith("/p0")


def test_undecided_can_count_as_wrong(tmp_path: Path) -> None:
    task = for_inspect.problems(write_problems(tmp_path), undecided="incorrect")
    log = evaluate(task, mock(lambda messages: answer(last_text(messages))), tmp_path)
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(4 / 7)
    with pytest.raises(ValueError, match="undecided must be"):
        for_inspect.problems(write_problems(tmp_path), undecided="right")


def test_strict_truncated_and_scored_again(tmp_path: Path) -> None:
    bench = write_problems(tmp_path)
    unboxed = mock(lambda messages: "The answer is $x^2 + C$.")
    seen = Counter(
        str(score.value) for score in values(for_inspect.problems(bench), unboxed, tmp_path)
    )
    assert seen["C"] == 1
    strict = values(for_inspect.problems(bench, strict=True), unboxed, tmp_path)
    assert {score.value for score in strict} == {"N"}
    cut = mock(lambda messages: "The answer is $x^2$", stop_reason="max_tokens")
    assert not [s for s in values(for_inspect.problems(bench), cut, tmp_path) if s.value == "C"]


def values(task: Any, model: Model, log_dir: Path) -> list[Any]:
    return [
        (sample.scores or {})["verified"] for sample in evaluate(task, model, log_dir).samples or []
    ]


def test_stages_are_asked_one_after_the_other(tmp_path: Path) -> None:
    roles: list[list[str]] = []

    def say(messages: list[Any]) -> str:
        roles.append([message.role for message in messages])
        if len(messages) == 1:
            return "Power rule."
        assert messages[1].text == "Power rule."
        return answer(messages[0].text)

    task = for_inspect.problems(write_problems(tmp_path), prompt="two-stage")
    log = evaluate(task, mock(say), tmp_path, max_connections=1)
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(4 / 6)
    assert Counter(map(len, roles)) == {1: 7, 3: 7}


def test_examples_and_stop_strings() -> None:
    task = for_inspect.problems("bee/qualifier", prompt="few-shot", shots=2, limit=3)
    assert [message.role for message in task.dataset[0].input] == [  # type: ignore[union-attr]
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert len(task.dataset) == 3
    task = for_inspect.problems("bee/qualifier", prompt="completion", limit=1)
    assert task.config.stop_seqs == ["\nProblem:"]


def test_every_subset_is_a_task() -> None:
    from inspect_ai._util.registry import registry_find, registry_info

    tasks = registry_find(lambda info: info.type == "task")
    registered = {registry_info(task).name.split("/")[-1] for task in tasks}
    expected = {
        subset.name.replace("/", "_") for name in names() for subset in resolve(f"{name}/all")
    }
    assert expected | set(names()) | {"problems"} <= registered


def test_mistakes_are_one_clear_line() -> None:
    with pytest.raises(ValueError, match="bee"):
        for_inspect.problems("be")
    with pytest.raises(PromptError, match="unknown prompt 'dirct'"):
        for_inspect.problems("bee", prompt="dirct")
    with pytest.raises(UserError, match="at least 1"):
        for_inspect.problems("bee", limit=0)


def test_the_example_runs(tmp_path: Path) -> None:
    with server() as serving:
        environment = os.environ | {
            "STUB_API_KEY": "none",
            "STUB_BASE_URL": serving.url,
            "PYTHONPATH": str(ROOT),
            "INSPECT_LOG_DIR": str(tmp_path),
        }
        done = subprocess.run(
            [
                sys.executable,
                ROOT / "examples" / "eval_with_inspect.py",
                "openai-api/stub/model",
                write_problems(tmp_path),
            ],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=200,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "accuracy 0.667 of 6, undecided 1"


@pytest.mark.slow
def test_the_command_finds_our_tasks(tmp_path: Path) -> None:
    """Installed: by the entry point, from anywhere, against a server."""
    command = Path(sys.executable).with_name("inspect")
    if not command.exists():
        pytest.skip("inspect is not installed beside this Python")
    with server() as serving:
        environment = os.environ | {"STUB_API_KEY": "none", "STUB_BASE_URL": serving.url}
        done = subprocess.run(
            (
                f"{command} eval calculus_harness/problems --model openai-api/stub/model "
                f"-T benchmark={write_problems(tmp_path)} --display plain --log-dir logs "
                "--log-format json"
            ).split(),
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    [path] = (tmp_path / "logs").glob("*.json")
    assert json.loads(path.read_text())["eval"]["task"] == "calculus_harness/problems"
    log = read_eval_log(str(path))
    statuses = [((s.scores or {})["verified"].metadata or {})["status"] for s in log.samples or []]
    assert statuses == EXPECTED


# --- logs, written and read --------------------------------------------------------------------


def test_a_run_becomes_logs_that_inspect_reads(tmp_path: Path, model: str, bench: str) -> None:
    """Every sample returns with prompt, text and verdict."""
    run = harness.sweep([model], [bench], limit=6, samples=3, out=tmp_path / "run")
    assert export_run(run, "inspect", tmp_path / "logs") == 18
    rows = {(row["problem"], row["sample"]): row for row in run.completions.rows()}
    verdicts = {(row["problem"], row["sample"]): row for row in run.verdicts().rows()}
    read = 0
    for path in sorted((tmp_path / "logs").glob("*.eval")):
        log = read_eval_log(str(path))
        assert log.status == "success"
        assert log.eval.config.epochs == 3
        assert log.results is not None
        [score] = log.results.scores
        correct = 0
        for sample in log.samples or ():
            read += 1
            key = str(sample.id), sample.epoch - 1
            assert sample.output.completion == rows[key]["text"]
            logged = (sample.scores or {})["verified"]
            assert (logged.metadata or {})["status"] == verdicts[key]["status"]
            assert "x e^x" in str(sample.input[0].text)  # type: ignore[union-attr]
            correct += logged.value == "C"
        assert score.metrics["pass@1"].value == pytest.approx(correct / len(log.samples or ()))
    assert read == 18


def test_exported_logs_are_asked_as_a_model(tmp_path: Path, model: str, bench: str) -> None:
    run = harness.sweep([model], [bench], limit=6, samples=2, out=tmp_path / "run")
    export_run(run, "inspect", tmp_path / "logs")
    statuses = {(r["problem"], r["sample"]): r["status"] for r in run.verdicts().rows()}
    for path in (tmp_path / "logs").glob("*.eval"):
        problems = [run.problem(key) for key in run.problems]
        subset = [problem for problem in problems if f"_{problem.subset}_" in path.name]
        again = harness.sweep(
            [f"inspect/{path}"], [bench], problems=subset, samples=2, out=tmp_path / path.stem
        )
        for row in again.verdicts().rows():
            assert row["status"] == statuses.pop((row["problem"], row["sample"]))
    assert not statuses


def test_inspect_s_own_log_is_graded_here(tmp_path: Path) -> None:
    """inspect_ai asked in two epochs; the scorer's verdicts equal ours."""
    problems = write_problems(tmp_path)
    task = for_inspect.problems(problems)
    evaluate(task, mock(lambda messages: answer(last_text(messages))), tmp_path / "logs", epochs=2)
    [path] = (tmp_path / "logs").glob("*.eval")
    run = harness.sweep([f"inspect/{path}"], [problems], samples=2, out=tmp_path / "run")
    verdicts = {(r["problem"].rpartition("/")[2], r["sample"]): r for r in run.verdicts().rows()}
    assert [verdicts[f"p{n}", 1]["status"] for n in range(7)] == EXPECTED
    (entry,) = run.models.values()
    assert entry["config"]["of"] == "mockllm/model"
    rows = list(run.completions.rows())
    assert {row["completion_tokens"] for row in rows} == {1}
    with pytest.raises(ModelError, match="no epoch 3"):
        harness.sweep([f"inspect/{path}"], [problems], samples=3, out=tmp_path / "run")


def test_no_log_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no file"):
        create(f"inspect/{tmp_path}/x.eval")
    (tmp_path / "x.eval").write_text("not a log")
    with pytest.raises(ModelError, match="no log of inspect_ai"):
        create(f"inspect/{tmp_path}/x.eval")
