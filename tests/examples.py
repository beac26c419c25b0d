"""How many examples property tests draw."""

from __future__ import annotations

import os

from hypothesis import settings

#: The share of the examples that the fast tests draw.
SHARE = 1 if os.environ.get("HYPOTHESIS_PROFILE", "few") != "few" else 5


def examples(count: int) -> settings:
    """Settings for a number of examples; for a fifth of the number with the profile ``few``."""
    return settings(max_examples=count // SHARE)
