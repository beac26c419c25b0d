"""Acceptance without a proof: what has to agree, and what may not have been seen."""
