"""HINT: arithmetic with integers, for systematic generalisation (Li et al. 2023)."""
