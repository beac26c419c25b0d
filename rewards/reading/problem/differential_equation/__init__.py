"""Reads differential equations with conditions, and the solutions in an answer."""

from .answer import StatedSolution as StatedSolution
from .answer import solutions as solutions
from .question import DifferentialEquation as DifferentialEquation
from .question import read_differential_equation as read_differential_equation
