"""Integration-bee problems and their perturbations (docs/bee.md)."""

from . import augmented, bank

__all__ = ["augmented", "bank"]
