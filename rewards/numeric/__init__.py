"""Computations with numbers: enclosures, sample points, comparisons, expansions, integrals."""
