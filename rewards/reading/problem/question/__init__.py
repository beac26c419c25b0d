"""Takes questions in free words apart."""
