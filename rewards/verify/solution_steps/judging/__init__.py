"""Whether the claims of a solution are right, and what each does."""
