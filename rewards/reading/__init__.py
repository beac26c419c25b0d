"""What is read: responses and problems, formulas in LaTeX and in code, as expression trees."""
