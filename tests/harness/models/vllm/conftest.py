"""Weights, an adapter, an engine and a server, shared by the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tests.harness.tiny_model as tiny_model
from calculus_harness.harness.models import create
from tests.harness.models.vllm.asked import ENVIRONMENT, OPTIONS, Asked, Reference


@pytest.fixture(scope="module")
def environment() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory, environment: None) -> Path:
    """A model with moderate entropy and occasional ends of text."""
    return tiny_model.make(tmp_path_factory.mktemp("models") / "tiny", spread=0.3)


@pytest.fixture(scope="module")
def adapter(weights: Path) -> Path:
    return tiny_model.make_adapter(weights.with_name("adapter"), weights)


@pytest.fixture(scope="module")
def engine(weights: Path) -> Iterator[Asked]:
    running = Asked(create(f"vllm/{weights}", OPTIONS))
    yield running
    assert running._started
    running.close()


@pytest.fixture(scope="module")
def server(weights: Path, adapter: Path) -> Iterator[Asked]:
    """The model with an adapter, behind vLLM's server."""
    options = {**OPTIONS, "lora": str(adapter), "reasoning-parser": "deepseek_r1"}
    running = Asked(create(f"vllm-server/{weights}", options))
    yield running
    assert running._started
    running.close()


@pytest.fixture(scope="module")
def truth(weights: Path) -> Reference:
    return Reference(weights)
