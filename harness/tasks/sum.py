"""Sums and power series: the answer is a closed form, an infinity, or that the sum diverges."""

from .base import of_course

TASK = of_course("sum")
