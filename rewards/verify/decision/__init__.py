"""The decision on an answer, by proof, by refutation, or by agreement at points."""
