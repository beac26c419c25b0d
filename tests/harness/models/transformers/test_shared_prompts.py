"""Prompts with a common beginning are computed once, with the results of single prompts."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'train'")
transformers = pytest.importorskip("transformers", reason="needs the extra 'train'")
pytestmark = pytest.mark.train

import tests.harness.tiny_model as tiny_model  # noqa: E402
from calculus_harness.harness.models.transformers.networks import (  # noqa: E402
    SHARED,
    Network,
    common_start,
)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    folder = tiny_model.make(tmp_path_factory.mktemp("models") / "tiny", spread=0.3)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()
    return Network.of(torch, model, 0)


def logits(network: Network, prompts: list[list[int]], appended: list[list[int]]) -> list[object]:
    """The logits after the prompts, and after each further token of every row."""
    with torch.inference_mode():
        generation = network.begin(prompts)
        steps = [generation.next_logits()]
        for column in zip(*appended, strict=True):
            generation.append(torch.tensor(column))
            steps.append(generation.next_logits())
    return steps


@pytest.mark.parametrize("shared", [SHARED - 1, SHARED, SHARED + 24])
def test_shared_prompts_give_the_same_logits(network: Network, shared: int) -> None:
    start = [7 + i % 50 for i in range(shared)]
    prompts = [[*start, 20], [*start, 21, 22, 23, 24], [*start, 21, 30]]
    appended = [[40, 41, 42], [43, 44, 45], [46, 47, 48]]
    together = logits(network, prompts, appended)
    for row, prompt in enumerate(prompts):
        alone = logits(network, [prompt], [appended[row]])
        for both, single in zip(together, alone, strict=True):
            assert torch.allclose(both[row], single[0], atol=1e-9)  # type: ignore[index]


def test_the_shared_part_is_computed_once(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[tuple[int, ...]] = []
    real = network.model.forward

    def forward(**inputs: object) -> object:
        computed.append(tuple(inputs["input_ids"].shape))  # type: ignore[attr-defined]
        return real(**inputs)

    monkeypatch.setattr(network.model, "forward", forward)
    start = list(range(8, 48))
    logits(network, [[*start, 50], [*start, 51, 52]], [])
    assert computed == [(1, 40), (2, 2)]


@pytest.mark.parametrize(
    ("rows", "start"),
    [([[1, 2], [1, 2]], 1), ([[1], [1, 2]], 0), ([[3, 1], [2, 1]], 0), ([[1, 2, 3], [1, 2, 4]], 2)],
)
def test_common_start(rows: list[list[int]], start: int) -> None:
    assert common_start(rows) == start
