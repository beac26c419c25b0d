"""F' and f at the sample points, with the branches of their radicals."""
