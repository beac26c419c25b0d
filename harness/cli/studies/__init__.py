"""Commands that repeat or analyse whole studies."""
