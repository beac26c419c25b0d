"""Verdicts inside Ray actors, plain and asynchronous, as in reward workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.ray

SPECIAL = (r"\operatorname{Li}_2(x)", r"-\frac{\ln(1-x)}{x}")
CASES = [(r"\sin(x^2)", r"2x\cos(x^2)"), (r"\cos(x^2)", r"2x\cos(x^2)"), SPECIAL]
EXPECTED = ["correct", "incorrect", "correct"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    root = str(Path(__file__).resolve().parents[3])
    ray.init(
        num_cpus=1,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": root}},
    )
    yield
    ray.shutdown()


def test_plain_actor(cluster: None) -> None:
    @ray.remote(num_cpus=0)
    class Judge:
        def judge(self, cases: list[tuple[str, str]]) -> list[str]:
            from calculus_harness.rewards.batch import verify_many

            answers, integrands = zip(*cases, strict=True)
            return [str(verdict.status) for verdict in verify_many(answers, list(integrands))]

    assert ray.get(Judge.remote().judge.remote(CASES), timeout=120) == EXPECTED


def test_asynchronous_actor(cluster: None) -> None:
    @ray.remote(num_cpus=0)
    class Judge:
        async def judge(self, cases: list[tuple[str, str]]) -> list[str]:
            from calculus_harness.rewards.batch import averify_many

            answers, integrands = zip(*cases, strict=True)
            return [
                str(verdict.status) for verdict in await averify_many(answers, list(integrands))
            ]

    assert ray.get(Judge.remote().judge.remote(CASES), timeout=120) == EXPECTED
