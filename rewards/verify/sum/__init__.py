"""Sums, products and power series.

`sums` has the public function. `asked` judges sums and products, and `series` power series.
"""

from .sums import verify_sum as verify_sum
