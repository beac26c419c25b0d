"""Kinds of model of other distributions, by the entry points of the group."""

from __future__ import annotations

from pathlib import Path

import pytest

from calculus_harness.harness.core.errors import ModelError, UnknownNameError
from calculus_harness.harness.models import create, describe
from calculus_harness.harness.models.registry import GROUP

MODULE = """
from dataclasses import dataclass
from calculus_harness.harness import Completion, Model

@dataclass(frozen=True, kw_only=True)
class Parrot(Model):
    '''Repeats the integrand.'''

    times: int = 1

    async def complete(self, requests):
        async for request in requests:
            yield Completion.to(request, request.problem.inputs.integrand * self.times)

nothing = 3
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of installed distributions with `parrots`, on Python's path."""
    (tmp_path / "parrots_for_tests.py").write_text(MODULE)
    metadata = tmp_path / "parrots-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: parrots\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return metadata / "entry_points.txt"


def test_a_distribution_brings_a_kind(install: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown model 'parrot/grey'"):
        create("parrot/grey")
    install.write_text(f"[{GROUP}]\nparrot = parrots_for_tests:Parrot\n")
    model = create("parrot/grey", {"times": "2"})
    assert model.label == "parrot/grey (times=2)"
    assert dict(describe())["parrot/NAME"] is type(model)
    with pytest.raises(UnknownNameError, match="did you mean 'parrot/grey'"):
        create("parot/grey")
    with pytest.raises(ModelError, match="times must be a whole number, not 'two'"):
        create("parrot/grey", {"times": "two"})


def test_ours_are_not_replaced(install: Path) -> None:
    install.write_text(f"[{GROUP}]\nreplay = parrots_for_tests:Parrot\n")
    assert dict(describe())["replay/NAME"].__name__ == "Replay"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("parrots_for_tests:Missing", "'parrot' of parrots cannot be imported .*Missing"),
        ("no_such_module:Parrot", "'parrot' of parrots cannot be imported .*no_such_module"),
        ("parrots_for_tests:nothing", "no subclass of Model"),
    ],
)
def test_a_broken_kind_is_one_clear_error(install: Path, value: str, message: str) -> None:
    install.write_text(f"[{GROUP}]\nparrot = {value}\n")
    with pytest.raises(ModelError, match=message):
        create("parrot/grey")
    create("solver/sympy")  # others can be used
