"""The experiments of Welleck et al. on symbolic brittleness: phases, budgets, likelihoods."""
