"""The computer algebra of the generators: formulas in normal form."""
