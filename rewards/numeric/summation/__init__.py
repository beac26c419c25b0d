"""Values of infinite sums: enclosures with proved bounds of what is left out, or divergence."""
