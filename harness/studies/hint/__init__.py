"""HINT's data and what answers depend on (Li et al. 2023, figures A1, A2, A4, A5, A6)."""
