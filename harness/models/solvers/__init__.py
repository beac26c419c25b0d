"""Computer algebra systems as models that answer with an antiderivative in LaTeX."""
