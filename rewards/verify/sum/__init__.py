"""Sums, products and power series.

`sums` has the public function. `closed_forms` judges sums and products, and `series` power series.
"""

from .sums import verify_sum as verify_sum
