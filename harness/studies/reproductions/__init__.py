"""The published tables and figures, the commands that repeat them, and what they gave here."""
