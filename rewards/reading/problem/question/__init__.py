"""Takes apart questions in free wording."""
