"""The prover of identities: F' = f as an identity in a differential field."""

from .certify import certificate
from .prove import Case, Proof, prove

__all__ = ["Case", "Proof", "certificate", "prove"]
