"""The text of a solution: formulas with their offsets, and the words around them."""
