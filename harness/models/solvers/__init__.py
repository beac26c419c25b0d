"""Computer algebra systems as models: asked for the antiderivative, they answer in LaTeX."""
