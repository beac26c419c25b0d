"""Public modules can still be imported under their former paths."""

from __future__ import annotations

from importlib import import_module

import pytest

from calculus_harness.rewards.former_paths import PRESENT


@pytest.mark.parametrize("former", PRESENT)
def test_a_former_path_is_another_name_of_the_module(former: str) -> None:
    package = "calculus_harness.rewards"
    assert import_module(f"{package}.{former}") is import_module(f"{package}.{PRESENT[former]}")


def test_a_class_is_the_same_by_both_paths() -> None:
    former = import_module("calculus_harness.rewards.expression.tree")
    present = import_module("calculus_harness.rewards.reading.expression.tree")
    assert former.Call is present.Call


def test_no_other_path_is_invented() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("calculus_harness.rewards.nowhere")
    with pytest.raises(ModuleNotFoundError):
        import_module("calculus_harness.rewards.latex.nowhere")
