"""Published tables and figures, commands that reproduce them, and the numbers measured here."""
