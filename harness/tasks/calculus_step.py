"""A result of calculus: the answer is the label 1 or 0."""

from .base import of_labels

TASK = of_labels(
    "calculus_step",
    "Say whether a derivative or an integral is right, as 1 or 0.",
    prompt="calculus-step",
)
