"""Limits: the answer is the limit in closed form, an infinity, or that there is none."""

from .base import of_course

TASK = of_course("limit")
