"""verifiers itself, on our taskset: scoring, and ``vf-eval`` against a server."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

vf = pytest.importorskip("verifiers.v1", reason="needs the extra 'verifiers'")
pytestmark = pytest.mark.verifiers

from verifiers.v1.utils.loaders import taskset_class  # noqa: E402

from calculus_harness.harness import integrations  # noqa: E402
from calculus_harness.harness.core.errors import UserError  # noqa: E402
from calculus_harness.harness.integrations.for_verifiers import (  # noqa: E402
    CalculusTaskConfig,
    CalculusTaskset,
    CalculusTasksetConfig,
)
from calculus_harness.rewards.adapters import scoring  # noqa: E402
from calculus_harness.rewards.verdict import Verdict  # noqa: E402
from calculus_harness.rewards.workers.errors import PoolError, WorkerCutOff  # noqa: E402
from calculus_harness.rewards.workers.verdicts import verdict_of  # noqa: E402
from tests.harness.integrations.local_model import ANSWERS, answer, server, write_problems  # noqa: E402

ROOT = Path(__file__).parents[3]
STATUSES = [f"is_{status}" for status in scoring.STATUSES]
EXPECTED = {f"p{n}": status for n, (_, status) in enumerate(ANSWERS.values())}


#: The name of the problems' subset.
SUBSET = "mine/problems"


def taskset(benchmark: str, **options: Any) -> CalculusTaskset:
    return CalculusTaskset(
        CalculusTasksetConfig(id="calculus-harness", benchmark=benchmark, **options)
    )


def trace_of(task: Any, text: str) -> Any:
    """A trace with a given text of the model, as left by a harness."""
    trace = vf.Trace(
        task=vf.TraceTask(type="CalculusTask", data=task.data, key=task.key, hash=task.hash),
        agent=vf.AgentInfo(config=vf.AgentConfig()),
    )
    trace.root_reply = text
    return trace


def scored(task: Any, text: str) -> Any:
    trace = trace_of(task, text)
    asyncio.run(task.score(trace))
    return trace


def test_verdicts_become_rewards(tmp_path: Path) -> None:
    for task in taskset(write_problems(tmp_path)):
        trace = scored(task, answer(str(task.data.prompt)))
        status = EXPECTED[task.data.id.split("/")[-1]]
        assert trace.reward == float(status == "correct")
        assert [name for name in STATUSES if trace.metrics[name]] == [f"is_{status}"]
        assert set(trace.metrics) == {*STATUSES, "correctness", "seconds", "truncated"}


def test_the_reward_is_set_by_the_configuration(tmp_path: Path) -> None:
    bench = write_problems(tmp_path)
    formal = CalculusTaskConfig(components=["correctness", "format"], weights=[1.0, 0.5])
    [task] = taskset(bench, task=formal).include(names=[f"{SUBSET}/p0"])
    assert scored(task, r"\boxed{x^2}").reward == 1.5
    assert scored(task, "It is x^2.").reward == 0
    [task] = taskset(bench, task=CalculusTaskConfig(strict=False)).include(names=[f"{SUBSET}/p0"])
    assert scored(task, "The answer is $x^2$.").reward == 1


def test_a_fault_is_no_reward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise PoolError("workers do not start")

    monkeypatch.setattr(scoring, "amap_verdicts", fail)
    [task] = taskset(write_problems(tmp_path), limit=1)
    trace = trace_of(task, "anything")
    with pytest.raises(vf.TaskError, match="no workers"):
        asyncio.run(task.score(trace))
    assert trace.rewards == {"solved": None}


def test_a_verdict_that_was_cut_off_is_no_reward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cut(_: str, items: Sequence[Any], *__: object) -> list[Verdict]:
        return [verdict_of(WorkerCutOff("no result within 80 s"))] * len(items)

    monkeypatch.setattr(scoring, "amap_verdicts", cut)
    [task] = taskset(write_problems(tmp_path), limit=1)
    trace = trace_of(task, "anything")
    with pytest.raises(vf.TaskError, match="no time to verify it no result within 80 s"):
        asyncio.run(task.score(trace))
    assert trace.rewards == {"solved": None}


def test_the_configuration_has_every_field_of_a_rubric(tmp_path: Path) -> None:
    own = {"task", "stop"}  # of the problem and of the prompt
    names = {item.name for item in fields(scoring.Rubric)} - own
    assert CalculusTaskConfig().rubric.keys() == names
    config = CalculusTaskConfig(components=["correctness", "format"], must_think=True)
    [task] = taskset(write_problems(tmp_path), task=config).include(names=[f"{SUBSET}/p0"])
    assert scored(task, r"\boxed{x^2}").reward == pytest.approx(1.08)
    assert scored(task, r"<think>x</think>\boxed{x^2}").reward == 1.1


def test_prompts_and_names() -> None:
    [task] = taskset("bee/competition", limit=1, prompt="direct")
    assert isinstance(task.data.prompt, str)
    assert task.key == task.data.id
    assert task.key.startswith("bee/competition/")
    [task] = taskset("bee/competition", limit=1, prompt="few-shot", shots=1)
    assert [message.role for message in task.data.prompt] == ["user", "assistant", "user"]
    assert asyncio.run(task.validate(None)) is True
    with pytest.raises(UserError, match="has stages"):
        list(taskset("bee", limit=1, prompt="two-stage"))
    [label] = taskset("calculus/diff", limit=1, prompt="calculus-step-zero-shot")
    wrong = 1 - label.data.problem["target"]["label"]
    assert scored(label, rf"\boxed{{{wrong}}}").reward == 0
    assert asyncio.run(label.validate(None)) is True


def test_definite_integrals_are_rewarded_by_their_own_task() -> None:
    for task in taskset("definite/bank", limit=4):
        assert r"\int" in str(task.data.prompt)
        assert asyncio.run(task.validate(None)) is True
        value = task.data.problem["target"]["value"]
        assert scored(task, rf"So $\boxed{{{value}}}$.").reward == 1
        assert scored(task, r"So $\boxed{\frac{17}{1001}}$.").metrics["is_incorrect"] == 1


def test_the_package_has_one_taskset() -> None:
    pytest.importorskip("calculus_harness", reason="the distribution is not installed")
    assert taskset_class("calculus-harness").__name__ == "CalculusTaskset"
    assert integrations.__all__ == ["CalculusTaskset"]
    with pytest.raises(AttributeError, match="nothing"):
        _ = integrations.nothing


def test_the_example_runs(tmp_path: Path) -> None:
    problems = [
        sys.executable,
        "examples/eval_with_verifiers.py",
        write_problems(tmp_path),
        answer("2x"),
    ]
    done = subprocess.run(
        problems,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        key, reward, _ = line.split(maxsplit=2)
        assert (reward == "1.0") == key.endswith("/p0")


@pytest.mark.slow
def test_vf_eval_by_its_name(tmp_path: Path) -> None:
    """Installed: the taskset by the distribution's name, a rollout for each problem."""
    command = Path(sys.executable).with_name("vf-eval")
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    if not command.exists() or shutil.which("uv", path=path) is None:
        pytest.skip("vf-eval is not installed beside this Python, or uv is not on the PATH")
    with server() as serving:
        done = subprocess.run(
            [
                str(command),
                "calculus-harness",
                "--env.taskset.benchmark",
                write_problems(tmp_path),
                *"--env.agent.harness.id null --env.agent.runtime.type subprocess".split(),
                *f"--client.base-url {serving.url} --client.api-key-var STUB_API_KEY".split(),
                *f"-m stub --no-push --no-rich --run.name run -o {tmp_path}".split(),
            ],
            cwd=tmp_path,
            env=os.environ | {"STUB_API_KEY": "none", "PATH": path},
            capture_output=True,
            text=True,
            timeout=400,
        )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    statuses = {}
    for line in (tmp_path / "run" / "traces.jsonl").read_text().splitlines():
        [trace] = json.loads(line)["traces"]
        assert not trace["errors"], trace["errors"]
        [status] = [name for name in STATUSES if trace["metrics"][name]]
        status = status.removeprefix("is_")
        statuses[trace["task"]["key"].split("/")[-1]] = status
        assert trace["rewards"]["solved"]["score"] == float(status == "correct")
    assert statuses == EXPECTED


OWN = '''
from calculus_harness.rewards.adapters.components import component

def brevity(graded):
    """1 for a text of less than 20 characters."""
    return float(len(graded.text) < 20)

@component("firmness", weight=0.3, gated=False)
def firmness(graded):
    return float("perhaps" not in graded.text)
'''


def test_functions_of_one_s_own_are_part_of_the_reward(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(OWN)
    config = CalculusTaskConfig(
        components=["correctness", f"{own}:brevity", f"{own}:firmness"], weights=[1.0, 0.5, 0.25]
    )
    [task] = taskset(write_problems(tmp_path), task=config).include(names=[f"{SUBSET}/p0"])
    right, long, wrong = (
        scored(task, text)
        for text in (r"\boxed{x^2}", r"it is, after some thought, \boxed{x^2}", r"\boxed{x^3}")
    )
    assert [right.reward, long.reward, wrong.reward] == [1.75, 1.25, 0.25]
    assert (right.metrics["brevity"], long.metrics["brevity"]) == (1.0, 0.0)


def test_a_function_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    config = CalculusTaskConfig(components=[f"{tmp_path}/nowhere.py:nothing"])
    with pytest.raises(UserError, match="there is no file"):
        list(taskset(write_problems(tmp_path), task=config))
