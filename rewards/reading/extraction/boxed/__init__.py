"""The answer in a completion's boxes."""
