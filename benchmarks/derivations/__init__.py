"""Derivations, and tasks made from derivations (Meadows et al.); see docs/derivations.md."""

from . import subsets

__all__ = ["subsets"]
