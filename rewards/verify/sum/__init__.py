"""Sums and products.

`sums` has the public function, and `closed_forms` judges closed forms.
"""

from .sums import verify_sum as verify_sum
