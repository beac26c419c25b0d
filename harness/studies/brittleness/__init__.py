"""The experiments of Welleck et al. on symbolic brittleness, as tables and figures."""
