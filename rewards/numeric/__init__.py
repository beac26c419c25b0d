"""What is computed: enclosures, sample points, comparisons, expansions, integrals."""
