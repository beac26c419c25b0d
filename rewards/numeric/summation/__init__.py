"""Sums of numbers: added, enclosed with a bound of what is left out, or proved to diverge.

Work is counted in units of `rewards.numeric.quadrature.work`, by the operations on balls and exact
numbers that each loop has. Over the bank of sums a unit takes from 1 to 7 microseconds, and 3.6 on
average; one sum takes up to 15,000 units.
"""
