"""Proofs about sums: closed forms of sums, and convergence."""
