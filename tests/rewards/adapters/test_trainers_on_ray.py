"""Rewards inside the Ray actors of trainers with shared verifier actors of the job.

verl's reward loop awaits a call for each row; OpenRLHF calls from threads, a batch at a time. Both
load a user's file, here the file of docs/scale.md.
"""

from __future__ import annotations

import asyncio
import importlib.util
import re
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import pytest

from calculus_harness.rewards.workers.cluster import CHUNKS_PER_WORKER, cluster_in_use
from calculus_harness.rewards.workers.ray_connection import NAMESPACE
from tests.ray_nodes import ROOT, ray_nodes, wait_until

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.ray

PROMPT = "Integrate:"
#: Right, but the verifier works on it for seconds, many times as long as `DEADLINE`.
HOSTILE = "".join(
    r"+\sin(0"
    + "".join(
        rf"+\operatorname{{Li}}_2(\sin({k}x))-\operatorname{{Li}}_2(\sin({k}x))"
        for k in range(k0, k0 + 10)
    )
    + ")"
    for k0 in range(1, 240, 10)
)
DEADLINE = 0.5
Row = tuple[str, str]


def rows(count: int) -> list[Row]:
    """Completions with their integrands; every third completion is wrong."""
    return [
        (rf"It is $\boxed{{x^{{{i + 1}}} + {i % 3 // 2}x}}$.", f"{i + 1}x^{{{i}}}")
        for i in range(count)
    ]


def expected(count: int) -> list[float]:
    return [float(i % 3 != 2) for i in range(count)]


class RewardWorker:
    """A trainer's process, with a count of the most rows on the way to the verifiers."""

    def __init__(self, path: str) -> None:
        self.file, self.most, self.done = load(path), 0, 0
        cluster: Any = cluster_in_use()
        assert load(path)
        assert cluster_in_use() is cluster
        send = cluster._assign

        def counted() -> None:
            send()
            self.most = max(self.most, len(cluster._asked))

        cluster._assign = counted

    async def verl(self, batch: Sequence[Row], **options: Any) -> list[dict[str, Any]]:
        async def score_row(text: str, truth: str) -> dict[str, Any]:
            score = self.file.acompute_score("mine", text, truth, {}, **options)
            result: dict[str, Any] = await score
            self.done += 1
            return result

        return await asyncio.gather(*(score_row(*row) for row in batch))

    async def openrlhf(self, items: Sequence[Row], **options: Any) -> list[dict[str, Any]]:
        reward = self.file.make_reward_func(**options) if options else self.file.reward_func

        async def batch(batch_rows: Sequence[Row]) -> dict[str, Any]:
            queries = [PROMPT + text for text, _ in batch_rows]
            labels = [label for _, label in batch_rows]
            result = await asyncio.to_thread(reward, queries, [PROMPT] * len(batch_rows), labels)
            self.done += len(batch_rows)
            return dict(result)

        return await asyncio.gather(*(batch(items[i : i + 8]) for i in range(0, len(items), 8)))

    async def seen(self) -> tuple[int, int]:
        return self.most, self.done


def load(path: str) -> ModuleType:
    """The file as imported by both trainers."""
    spec = importlib.util.spec_from_file_location("my_reward", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rewards(batches: Sequence[dict[str, Any]]) -> list[float]:
    return [reward for batch in batches for reward in batch["rewards"]]


def verifiers() -> list[str]:
    """The names of the verifier actors."""
    actors = ray.util.list_named_actors(all_namespaces=True)
    return [actor["name"] for actor in actors if actor["namespace"] == NAMESPACE]


@pytest.fixture(scope="module")
def trainers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """Three reward workers with a CPU each, on a node with four CPUs."""
    document = (ROOT / "docs" / "scale.md").read_text("utf-8")
    block = re.search(r"`my_reward.py`:\n\n```python\n(.*?)```", document, re.DOTALL)
    assert block is not None
    path = tmp_path_factory.mktemp("trainer") / "my_reward.py"
    path.write_text(block[1].replace("workers=8", "workers=1"))
    with ray_nodes(num_cpus=4):
        actor = ray.remote(num_cpus=1)(RewardWorker)
        actors = [actor.remote(str(path)) for _ in range(3)]
        ray.get([worker.seen.remote() for worker in actors], timeout=300)
        yield actors


def test_trainers_share_the_verifiers_and_do_not_flood_them(trainers: list[Any]) -> None:
    a, b, c = trainers
    scored = [a.verl.remote(rows(90)), b.verl.remote(rows(60))]
    batches = c.openrlhf.remote(rows(90))
    scores = ray.get(scored, timeout=300)
    assert [[row["score"] for row in batch] for batch in scores] == [expected(90), expected(60)]
    assert rewards(ray.get(batches, timeout=300)) == expected(90)
    assert len(verifiers()) == 1
    for peak, _ in ray.get([row.seen.remote() for row in trainers]):
        assert peak == CHUNKS_PER_WORKER  # while all rows were waiting at once


def test_a_verifier_that_dies_is_replaced_and_no_reward_is_lost(trainers: list[Any]) -> None:
    a, b, c = trainers
    (name,) = verifiers()
    verifier = ray.get_actor(name, namespace=NAMESPACE)
    done_before = sum(done for _, done in ray.get([row.seen.remote() for row in trainers]))

    def begun() -> bool:
        return sum(done for _, done in ray.get([t.seen.remote() for t in trainers])) > done_before

    scored = [a.verl.remote(rows(90)), b.verl.remote(rows(90))]
    batches = c.openrlhf.remote(rows(90))
    wait_until(begun)
    ray.kill(verifier)
    scores = ray.get(scored, timeout=300)
    assert [[row["score"] for row in batch] for batch in scores] == [expected(90)] * 2
    assert rewards(ray.get(batches, timeout=300)) == expected(90)
    assert ray.get_actor(name, namespace=NAMESPACE)._actor_id != verifier._actor_id


def test_the_deadline_is_kept_and_costs_no_other_row(trainers: list[Any]) -> None:
    a, _, c = trainers
    batch = rows(16)
    batch.insert(5, (rf"\boxed{{x^2{HOSTILE}}}", "2x"))
    values = expected(16)
    values.insert(5, 0.0)
    batches = c.openrlhf.remote(batch, deadline=DEADLINE)
    scores = ray.get(a.verl.remote(batch, deadline=DEADLINE), timeout=300)
    assert [row["score"] for row in scores] == values
    assert [row["status"] for row in scores].index("timeout") == 5
    logged = ray.get(batches, timeout=300)
    assert rewards(logged) == values
    assert [flag for row in logged for flag in row["extra_logs"]["is_timeout"]].index(1.0) == 5
