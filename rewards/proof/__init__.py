"""What is proved: identities, and that an answer has no jumps."""
