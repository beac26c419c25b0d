"""Sums and power series: `sums` has the entry point, `series` judges answers about power series."""

from .sums import verify_sum

__all__ = ["verify_sum"]
