"""The points, and the values of an integrand's parameters, at which answers are compared."""
