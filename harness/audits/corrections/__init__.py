"""Names the slips in refuted references, and finds the right answers."""
