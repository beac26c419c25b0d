"""The prover of identities: F' = f as an identity in a differential field."""

from .prove import Proof, prove

__all__ = ["Proof", "prove"]
