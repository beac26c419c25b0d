"""Engines of models on a real Ray cluster: every request answered once, whatever dies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.benchmarks.derivations.splits import (
    SplitSizes,
    data_splits,
)
from calculus_harness.harness import Run, Sampling, sweep
from calculus_harness.harness.core.asynchronous import stream
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import Completion, FinishReason, Request, request_hash
from calculus_harness.harness.models import create
from calculus_harness.harness.models.placed import pool
from calculus_harness.harness.models.placed.pool import EnginePool, placed
from calculus_harness.prompts import Rendered
from calculus_harness.rewards import use_cluster
from tests.harness.models.stub_engine import StubEngine
from tests.ray_nodes import add_node, ray_nodes

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.ray


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two unused nodes with two GPUs each."""
    with ray_nodes() as nodes:
        for _ in range(2):
            add_node(nodes, num_gpus=2)
        nodes.wait_for_nodes()
        with use_cluster():
            yield nodes


def requests(count: int) -> list[Request]:
    inputs = {"integrand": "2x", "variable": "x"}
    problem = Problem("p", "integration", "toy", "s", inputs=inputs, target=inputs)
    prompt, sampling = Rendered(text="2x"), Sampling()
    key = request_hash(problem, prompt, sampling)
    template = Request("m", problem, prompt, sampling, key)
    return [replace(template, seed=seed, sample=seed) for seed in range(count)]


def answers(model: StubEngine, count: int) -> list[Completion]:
    """The completions of a number of requests, one for each request."""

    async def ask_engines() -> list[Completion]:
        engines = placed(model)
        assert isinstance(engines, EnginePool)
        try:
            async with aclosing(engines.complete(stream(requests(count)))) as completions:
                return [completion async for completion in completions]
        finally:
            await engines.close()

    completions = sorted(asyncio.run(ask_engines()), key=lambda completion: completion.sample)
    assert [completion.sample for completion in completions] == list(range(count))
    return completions


def processes(completions: list[Completion]) -> dict[str, set[str]]:
    """The answering processes, with the GPUs of each."""
    gpus: dict[str, set[str]] = {}
    for completion in completions:
        if completion.finish_reason is FinishReason.STOP:
            _, process, visible = completion.text.split(" ")
            gpus.setdefault(process, set()).add(visible)
    return gpus


@pytest.mark.parametrize(
    ("gpus", "engines", "visible"),
    [
        (1, 4, ["0", "0", "1", "1"]),
        (2, 2, ["0,1", "0,1"]),
        # Over both nodes: the engine's own process has no GPU, those of its executor have them.
        (4, 1, [""]),
        (0, 3, [""] * 3),
    ],
)
def test_engines_have_their_gpus(
    cluster: Any, tmp_path: Path, gpus: int, engines: int, visible: list[str]
) -> None:
    model = StubEngine(spec="stub/a", gpus=gpus, engines=engines, roll=str(tmp_path))
    gpus_of_process = processes(answers(model, 64))
    assert sorted(gpu for (gpu,) in gpus_of_process.values()) == visible


def test_an_engine_that_dies_is_replaced(cluster: Any, tmp_path: Path) -> None:
    once = tmp_path / "died"
    model = StubEngine(spec="stub/a", gpus=2, deadly=9, once=str(once))
    completions = answers(model, 64)
    assert once.exists()
    assert all(answer.finish_reason is FinishReason.STOP for answer in completions)


def test_a_request_that_kills_engines_is_left(cluster: Any) -> None:
    completions = answers(StubEngine(spec="stub/a", gpus=2, engines=1, deadly=9), 32)
    (failed,) = (item for item in completions if item.finish_reason is not FinishReason.STOP)
    assert failed.sample == 9
    assert failed.finish_reason is FinishReason.UNREACHABLE
    assert "3 engines died with this request" in failed.detail


def test_engines_that_always_die_end_the_sweep(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "MAX_DEATHS", 2)
    with pytest.raises(ModelError, match="no engine is left"):
        answers(StubEngine(spec="stub/a", gpus=2, engines=1, deadly=0), 1)
    assert processes(answers(StubEngine(spec="stub/a", gpus=2, engines=2), 16))  # GPUs are free


def test_too_few_gpus_are_refused_before_anything_is_asked(cluster: Any, tmp_path: Path) -> None:
    model = StubEngine(spec="stub/a", gpus=2, engines=3)
    with pytest.raises(ModelError, match="needs 3 x 2 GPUs, and the cluster's nodes have 2, 2"):
        sweep([model], ["drills"], limit=1, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


FUNCTION = """
import os, pathlib, time

ROLL = pathlib.Path(__file__).with_name("roll")

def answer(messages, seed):
    (ROLL / str(os.getpid())).touch()
    while len(list(ROLL.iterdir())) < 3:  # all processes
        time.sleep(0.02)
    return f"{seed} {os.getpid()}"

def broken(messages, seed):
    raise ValueError("no answer")
"""


def test_a_python_function_runs_on_the_nodes(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(FUNCTION)
    (tmp_path / "roll").mkdir()
    name = f"python/{tmp_path}/model.py"
    run = sweep([f"{name}:answer"], ["drills"], samples=8, limit=8, out=tmp_path / "run")
    texts = [row["text"].split() for row in run.completions.rows()]
    assert len(texts) == 64
    assert len({process for _, process in texts}) == 3
    with pytest.raises(ModelError, match="all of the first 10 calls failed"):
        sweep([f"{name}:broken"], ["drills"], samples=8, limit=8, out=tmp_path / "broken")


def test_solvers_ask_all_workers(cluster: Any, tmp_path: Path) -> None:
    run = sweep(["solver/sympy"], ["drills"], limit=6, out=tmp_path / "run")
    assert isinstance(run, Run)
    assert {row["status"] for row in run.verdicts().rows()} == {"correct"}


def test_generators_make_there_what_they_make_here(cluster: Any) -> None:
    sizes = SplitSizes(16, 4, 4)
    assert data_splits(2, sizes, 7) == data_splits(2, sizes, 7, workers=1)
    operation = "differentiation"
    assert data_splits(operation, sizes, 7) == data_splits(operation, sizes, 7, workers=1)


@pytest.mark.train
def test_a_network_answers_as_it_does_here(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.harness import tiny_model

    weights = tiny_model.make(tmp_path / "tiny", spread=0.3)
    model = create(f"transformers/{weights}", {"batch-size": "4", "device": "cpu"})

    def texts(name: str) -> dict[str, str]:
        settings: dict[str, Any] = {"samples": 4, "limit": 4, "sampling": Sampling(max_tokens=8)}
        run = sweep([model], ["drills"], prompt="direct", out=tmp_path / name, **settings)
        return {row["key"]: row["text"] for row in run.completions.rows()}

    placed_texts = texts("there")
    patch: Callable[..., Any] = monkeypatch.setattr
    patch("calculus_harness.harness.models.placed.pool.cluster_in_use", lambda: None)
    assert texts("here") == placed_texts
    assert len(placed_texts) == 16
