"""The subjects of solutions: integrals, and other questions such as limits."""
