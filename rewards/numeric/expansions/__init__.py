"""Expansions of real functions at an end of their range.

`models` holds functions that are analytic at the end as power series with a bound on a disc;
`forms` writes any function as a sum of exponentials times factors that vary slowly. Both serve
definite integrals, and prove bounds of what is dropped. `germs` expands expressions for limits:
`series` and `multiseries` are the terms and their arithmetic, `functions` what is not arithmetic;
coefficients are exact.
"""
