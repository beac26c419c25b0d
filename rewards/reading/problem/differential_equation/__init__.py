"""Reads differential equations with their conditions, and the solutions that an answer states."""

from .answer import StatedSolution as StatedSolution
from .answer import solutions as solutions
from .question import DifferentialEquation as DifferentialEquation
from .question import read_differential_equation as read_differential_equation
