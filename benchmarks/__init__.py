"""Where problems come from: one package per family, one registry (`benchmarks.registry`)."""

from benchmarks.problem import Parent, Problem
from benchmarks.registry import UnknownBenchmarkError, load, names, subsets

__all__ = ["Parent", "Problem", "UnknownBenchmarkError", "load", "names", "subsets"]
