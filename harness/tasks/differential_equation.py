"""Differential equations: the answer is a solution, as general as the question asks for."""

from dataclasses import replace

from ...benchmarks.lample_charton.codec.equations import solution_tree
from .base import of_course
from .prefix_answers import with_prefix

_OF_COURSE = of_course("differential_equation")
TASK = replace(
    _OF_COURSE,
    grade=with_prefix(_OF_COURSE.grade, solution_tree),
    answer_formats=("latex", "prefix"),
)
