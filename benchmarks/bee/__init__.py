"""Integration-bee problems of our own, and what can be made of them (see docs/bee.md)."""

from . import augmented, bank

__all__ = ["augmented", "bank"]
