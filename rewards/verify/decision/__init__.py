"""The decision on an answer: the order of proof, refutation, and acceptance by agreement."""
