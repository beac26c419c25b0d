"""Where problems come from: one package per family, one registry (`benchmarks.registry`)."""

if __name__ == "benchmarks":  # imported from a checkout's root
    from calculus_harness import _checkout

    _checkout.alias(__name__)

from .problem import Parent, Problem
from .registry import UnknownBenchmarkError, load, names, subsets

__all__ = ["Parent", "Problem", "UnknownBenchmarkError", "load", "names", "subsets"]
