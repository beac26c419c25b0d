"""Expansions of real functions at an end of their range.

`models` represents functions that are analytic at the end by power series with a bound on a disc;
`forms` writes any function as a sum of exponentials times factors that vary slowly. Definite
integrals use these two modules, which prove bounds of remainders. `germs` expands expressions for
limits, with exact coefficients: `series` and `multiseries` are the terms and their arithmetic,
`functions` has the rules for special functions.
"""
