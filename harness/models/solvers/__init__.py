"""Computer algebra systems as models; answers are antiderivatives in LaTeX."""
