"""The placement of engines on a cluster, without a cluster."""

from __future__ import annotations

import pytest

from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import create
from calculus_harness.harness.models.placed.pool import placed
from calculus_harness.harness.models.placement import EngineGroup, Placement, groups
from calculus_harness.harness.models.vllm.engine import VllmEngine
from calculus_harness.harness.models.vllm.options import VllmModel


@pytest.mark.parametrize(
    ("placement", "gpus", "expected"),
    [
        (Placement(gpus=1), [2, 0, 1], [EngineGroup((1,))] * 3),
        (Placement(gpus=2), [3, 3], [EngineGroup((2,))] * 2),
        (Placement(gpus=2, engines=1), [8], [EngineGroup((2,))]),
        # Larger than every node: bundles of one GPU, which Ray spreads over few nodes.
        (Placement(gpus=4), [2, 2, 4, 1], [EngineGroup((4,))]),
        (Placement(gpus=4), [2, 2, 2], [EngineGroup((1,) * 4, "PACK")]),
        # Without GPUs: one on each node, or as many as are wanted.
        (Placement(), [0, 0], [EngineGroup(())] * 2),
        (Placement(engines=3), [0], [EngineGroup(())] * 3),
        (Placement(gpus=1, without_gpu=True), [0, 0], [EngineGroup(())] * 2),
        (Placement(gpus=1, without_gpu=True), [0, 2], [EngineGroup((1,))] * 2),
    ],
)
def test_groups(placement: Placement, gpus: list[int], expected: list[EngineGroup]) -> None:
    assert groups("vllm/m", placement, gpus) == expected


@pytest.mark.parametrize(
    ("placement", "gpus", "message"),
    [
        (Placement(gpus=1), [0, 0], "needs 1 GPUs, and the cluster has none"),
        (Placement(gpus=4), [2, 1], "needs 4 GPUs, and the cluster's nodes have 2, 1"),
        (Placement(gpus=2, engines=3), [3, 2], "needs 3 x 2 GPUs, and the cluster's nodes have"),
    ],
)
def test_too_few_gpus(placement: Placement, gpus: list[int], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        groups("vllm/m", placement, gpus)


@pytest.fixture
def no_vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VllmModel, "__post_init__", lambda self: None)
    monkeypatch.setattr("calculus_harness.harness.models.vllm.options._on_cpu", lambda: False)


def vllm(**options: str) -> VllmEngine:
    model = create("vllm/m", {name.replace("_", "-"): value for name, value in options.items()})
    assert isinstance(model, VllmEngine)
    return model


def test_sizes_of_vllm_are_its_placement(no_vllm: None) -> None:
    assert vllm().placement == Placement(gpus=1, at_once=512)
    sizes = vllm(tensor_parallel_size="4", pipeline_parallel_size="2", data_parallel_size="3")
    assert sizes.placement == Placement(gpus=8, engines=3, at_once=512)
    assert dict(sizes.one_engine(spread=False).engine) == {  # type: ignore[attr-defined]
        "tensor-parallel-size": "4",
        "pipeline-parallel-size": "2",
    }
    spread = dict(sizes.one_engine(spread=True).engine)  # type: ignore[attr-defined]
    assert spread["distributed-executor-backend"] == "ray"


@pytest.mark.parametrize("size", ["0", "two", "-1"])
def test_sizes_that_are_none(no_vllm: None, size: str) -> None:
    with pytest.raises(ModelError, match="tensor-parallel-size must be a positive number"):
        _ = vllm(tensor_parallel_size=size).placement


def test_experts_stay_together(no_vllm: None) -> None:
    with pytest.raises(ModelError, match="vllm serve"):
        _ = vllm(enable_expert_parallel="true").placement


def test_solvers_and_apis_have_no_engines() -> None:
    for spec in ("solver/sympy", "openai/gpt-5-mini"):
        model = create(spec)
        assert model.placement is None
        assert placed(model) is model
