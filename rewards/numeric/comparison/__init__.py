"""Compares F', the derivative of an answer F, with the integrand f at sample points."""
