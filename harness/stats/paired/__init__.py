"""Paired comparisons: their numbers (`comparison`), and what these say in words (`wording`)."""

from .comparison import (
    FEWEST,
    POWER,
    Comparison,
    Contrast,
    Design,
    Difference,
    Transfer,
    break_down,
    contrast,
    design,
    pass_twice,
    sampling_variance,
    transfer,
    with_family,
)

__all__ = [
    "FEWEST",
    "POWER",
    "Comparison",
    "Contrast",
    "Design",
    "Difference",
    "Transfer",
    "break_down",
    "contrast",
    "design",
    "pass_twice",
    "sampling_variance",
    "transfer",
    "with_family",
]
