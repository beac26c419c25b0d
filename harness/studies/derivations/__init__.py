"""The experiments of Meadows et al. on derivations: twins, pairwise tests, tables."""
