"""Definite integrals: a bank, perturbations of it, and generators (docs/definite.md)."""

from . import bank, generated, perturbed

__all__ = ["bank", "generated", "perturbed"]
