"""A model for HINT that computes ordinary arithmetic: the most that the notebooks' scorer gives.

calculus-harness sweep --preset hint --model python/examples/ordinary_arithmetic.py:answer
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from calculus_harness.benchmarks.hint.scoring import ordinary_value
from calculus_harness.benchmarks.hint.semantics import parse

#: The expression in the prompts of the presets ``hint`` and ``hint-cot``.
ASKED = re.compile(r"(?:What is|Expression:) ([-+*/()0-9]+)")


def answer(messages: Sequence[Mapping[str, str]], seed: int) -> str:
    """Signed subtraction and exact division, truncated; a text without an expression has none."""
    asked = ASKED.findall(messages[-1]["content"])
    value = ordinary_value(parse(asked[-1])) if asked else None
    return "I cannot tell." if value is None else f" {int(value)}."
