"""Sums and power series: `sums` has the public function, `series` judges power series."""

from .sums import verify_sum as verify_sum
