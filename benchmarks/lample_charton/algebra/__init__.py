"""The algebra of the generators: a normal form, a simplifier, and limits on SymPy."""
