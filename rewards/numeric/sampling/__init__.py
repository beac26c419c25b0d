"""An integrand with the points and the values of its parameters at which answers are compared."""
