"""The experiments of Meadows et al. on derivations: pairs of original and perturbed problems."""
