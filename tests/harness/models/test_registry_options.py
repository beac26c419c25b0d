"""Options without a field of the model class are passed on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from calculus_harness.harness.core.errors import ModelError, UnknownNameError
from calculus_harness.harness.core.requests import Completion, Request
from calculus_harness.harness.models import Model, create, register
from calculus_harness.harness.models.base import operational
from calculus_harness.harness.models.registry import _BUILT_IN, option_names


@dataclass(frozen=True, kw_only=True)
class Strict(Model):
    """Takes known options."""

    width: int = 1
    loud: bool | None = None

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async for request in requests:
            yield Completion.to(request, "")


@dataclass(frozen=True, kw_only=True)
class Passing(Strict):
    """Takes anything."""

    engine: tuple[tuple[str, str], ...] = operational(())

    passes_on: ClassVar[str] = "engine"


@pytest.fixture(autouse=True)
def registered_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calculus_harness.harness.models.registry._BUILT_IN", dict(_BUILT_IN))
    register("strict", Strict)
    register("passing", Passing)


def engine(model: Model) -> Any:
    return model.engine  # type: ignore[attr-defined]


def test_what_is_no_field_is_passed_on_as_sorted_pairs() -> None:
    options = {"max_len": 8, "width": "3", "dtype": "half", "eager": True, "more": {"a": [1]}}
    model = create("passing/x", options)
    assert model.width == 3  # type: ignore[attr-defined]
    assert engine(model) == (
        ("dtype", "half"),
        ("eager", "true"),
        ("max-len", "8"),
        ("more", '{"a": [1]}'),
    )
    assert create("passing/x", {"max-len": "8"}).hash == create("passing/x", {"max_len": 8}).hash


def test_the_field_itself_is_no_option_and_other_kinds_refuse() -> None:
    assert "engine" not in option_names(Passing)
    assert engine(create("passing/x", {"engine": "v1"})) == (("engine", "v1"),)
    with pytest.raises(UnknownNameError, match="did you mean 'width'"):
        create("strict/x", {"widht": 1})


def test_an_optional_switch_is_off_on_or_neither() -> None:
    models = [create("strict/x", options) for options in ({}, {"loud": "true"}, {"loud": "false"})]
    assert [model.loud for model in models] == [None, True, False]  # type: ignore[attr-defined]
    assert len({model.hash for model in models}) == 3
    with pytest.raises(ModelError, match="loud must be true or false"):
        create("strict/x", {"loud": "maybe"})
