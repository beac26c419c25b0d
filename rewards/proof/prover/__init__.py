"""The prover of identities: F' = f as an identity in a differential field."""

from .prove import Case, Proof, prove

__all__ = ["Case", "Proof", "prove"]
