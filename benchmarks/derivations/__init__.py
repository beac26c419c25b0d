"""Derivations, and the tasks made from them (Meadows et al.); see docs/derivations.md."""

from . import subsets

__all__ = ["subsets"]
