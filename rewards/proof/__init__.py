"""Proofs of identities, limits and sums, and of the absence of jumps."""
