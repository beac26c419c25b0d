"""A step of a derivation: the answer is the label 1 or 0."""

from .base import of_labels

TASK = of_labels(
    "derivation_step",
    "Say whether the last step of a derivation follows, as 1 or 0.",
    prompt="derivation-step",
)
