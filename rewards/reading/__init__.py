"""Reads answers, problems and formulas in LaTeX or in code. The results are expression trees."""
