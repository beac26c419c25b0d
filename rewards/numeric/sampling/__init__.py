"""Sample points and values of parameters, at which answers are compared with integrands."""
