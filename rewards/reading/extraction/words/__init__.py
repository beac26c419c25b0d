"""The meaning of words next to a formula."""
