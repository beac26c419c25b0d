"""Enclosures of integrals between two ends, towards one end, and over oscillations."""
