"""Integration-bee problems of our own, and what can be made of them (see docs/bee.md)."""

from benchmarks.bee import augmented, bank

__all__ = ["augmented", "bank"]
