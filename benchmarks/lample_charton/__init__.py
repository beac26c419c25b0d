"""Random integrals for sequence models, after Lample and Charton (see docs/lample_charton.md)."""

from benchmarks.lample_charton.generators import Settings
from benchmarks.lample_charton.pairs import Pair
from benchmarks.lample_charton.prefix import PrefixError, from_prefix, model_input, to_prefix
from benchmarks.lample_charton.problems import random_integrals
from benchmarks.lample_charton.sampling import Grammar, sample_prefix, sample_tree

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
