"""HINT: arithmetic with integers, for systematic generalisation (Li et al. 2023)."""

from . import subsets

__all__ = ["subsets"]
