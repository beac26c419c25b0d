"""Values with a proof: integrals between two ends, towards an end, and of oscillations."""
