"""How answers are read: the rows of ``cases/answers.toml``, and properties of layouts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.rewards import (
    Verdict,
    verify_antiderivative,
    verify_definite_integral,
    verify_integer,
    verify_label,
    verify_value,
)

CASES = Path(__file__).parents[1] / "cases" / "answers.toml"
JUDGES = {
    "integrand": verify_antiderivative,
    "integral": verify_definite_integral,
    "value": verify_value,
    "integer": verify_integer,
    "label": verify_label,
}


def rows() -> Iterator[Any]:
    for group in tomllib.loads(CASES.read_text(encoding="utf-8"))["class"]:
        for wanted in ("right", "wrong"):
            for completion in group[wanted]:
                yield pytest.param(group, completion, wanted, id=f"{group['name']}: {completion}")


def judged(group: dict[str, Any], completion: str) -> Verdict:
    kind = next(name for name in JUDGES if name in group)
    options = {"variable": group["variable"]} if "variable" in group else {}
    return JUDGES[kind](completion, group[kind], **options)


@pytest.mark.parametrize(("group", "completion", "wanted"), rows())
def test_row(group: dict[str, Any], completion: str, wanted: str) -> None:
    verdict = judged(group, completion)
    assert verdict.correct == (wanted == "right"), (verdict.answer, verdict.evidence.detail)
