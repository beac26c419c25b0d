"""Integration-bee problems of our own, and what can be made of them (see docs/bee.md)."""

from benchmarks.bee import bank

__all__ = ["bank"]
