"""Values with a proof: integrals towards an end, between two ends, and of oscillations."""
