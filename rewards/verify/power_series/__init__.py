"""Questions about power series.

`answers` judges an answer. `quantities` judges polynomials, coefficients, remainders, radii and
intervals, and `expansions` judges answers that are a series.
"""

from .answers import judge_answer as judge_answer
from .answers import shape_of_answer as shape_of_answer
