"""Reads differential equations with their conditions, and the solutions that an answer states."""

from .answer import StatedSolution, solutions
from .question import DifferentialEquation, read_differential_equation

__all__ = ["DifferentialEquation", "StatedSolution", "read_differential_equation", "solutions"]
