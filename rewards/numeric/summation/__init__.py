"""Sums of numbers. A finite sum is added up. An infinite sum is enclosed with a proved bound of the
remainder, or is proved to diverge.

Work is counted in units of `rewards.numeric.quadrature.work`. Each loop counts its operations on
balls and exact numbers. In the test problems on sums (the bank of sums), a unit takes from 1 to 7
microseconds, and 3.6 on average. One sum takes up to 15,000 units.
"""
