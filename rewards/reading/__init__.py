"""Reading of responses and problems, and of formulas in LaTeX and in code, as expression trees."""
