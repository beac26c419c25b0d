"""Derivatives: the answer is the derivative that the question asks for, in closed form."""

from .base import of_course

TASK = of_course("derivative")
