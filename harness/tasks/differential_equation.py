"""Differential equations: the answer is a solution, as general as the question asks for."""

from .base import of_course

TASK = of_course("differential_equation")
