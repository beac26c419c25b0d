"""Random integrals for sequence models, after Lample and Charton (see docs/lample_charton.md)."""

from .codec.prefix import PrefixError, from_prefix, model_input, to_prefix
from .generators import Settings
from .pairs import Pair
from .problems import random_integrals
from .sampling import Grammar, sample_prefix, sample_tree

__all__ = [
    "Grammar",
    "Pair",
    "PrefixError",
    "Settings",
    "from_prefix",
    "model_input",
    "random_integrals",
    "sample_prefix",
    "sample_tree",
    "to_prefix",
]
