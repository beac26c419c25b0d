"""How many examples property tests draw."""

from __future__ import annotations

import os

from hypothesis import settings

#: The share of the examples that the fast tests draw.
SHARE = 1 if os.environ.get("HYPOTHESIS_PROFILE", "few") != "few" else 5


def examples(count: int) -> settings:
    """Settings for so many examples; for a fifth of them where the profile is ``few``."""
    return settings(max_examples=count // SHARE)
