"""HINT's data, and the properties on which accuracy depends (Li et al. 2023, figures A1 to A6)."""
