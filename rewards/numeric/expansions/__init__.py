"""Expansions of real functions at an end of their range.

`models` represents functions that are analytic at the end by power series with a bound on a disc;
`forms` writes any function as a sum of exponentials times factors that vary slowly. Definite
integrals and sums use both modules, which prove bounds of remainders. `germs` expands expressions
for limits, with exact coefficients: `series` and `multiseries` are the terms and the arithmetic of
terms, `functions` has the rules for special functions. See the head of `forms` for why there are
two engines.
"""
