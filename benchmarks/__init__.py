"""Benchmarks: the sources of problems. A package or module per family, and a registry.

>>> from calculus_harness.benchmarks import load
>>> [problem.id for problem in load("drills/monomials", limit=2)]
['monomials-065', 'monomials-022']

`benchmarks.registry` explains how to add a benchmark, here or in another package.
"""

if __name__ == "benchmarks":  # imported from a checkout's root
    from calculus_harness import _checkout

    _checkout.alias(__name__)

from .errors import BenchmarkError
from .problem import Parent, Problem
from .registry import UnknownBenchmarkError, load, names, subsets

__all__ = [
    "BenchmarkError",
    "Parent",
    "Problem",
    "UnknownBenchmarkError",
    "load",
    "names",
    "subsets",
]
