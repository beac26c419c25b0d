"""Random integrals for sequence models, after Lample and Charton (docs/lample_charton.md)."""

from .codec.prefix import PrefixError, from_prefix, model_input, to_prefix
from .generators import GeneratorSettings
from .pairs import IntegralPair
from .problems import random_integrals
from .sampling import Grammar, sample_prefix, sample_tree

__all__ = [
    "GeneratorSettings",
    "Grammar",
    "IntegralPair",
    "PrefixError",
    "from_prefix",
    "model_input",
    "random_integrals",
    "sample_prefix",
    "sample_tree",
    "to_prefix",
]
