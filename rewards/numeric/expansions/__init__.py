"""Expansions of real functions at an end of their range, by two engines.

`models` represents functions that are analytic at the end by power series with a bound on a disc;
`forms` writes any function as a sum of exponentials times factors that vary slowly. Definite
integrals and sums use both modules. `germs` expands expressions for limits, with exact
coefficients: `series` and `multiseries` are the terms and the arithmetic of terms, `functions` has
the rules for special functions.

Neither engine can take the place of the other. A germ has no bound of a remainder, and series of
germs at infinity diverge, as Stirling's does; a model has Cauchy's bound on a disc of convergence.
A coefficient of a model is a ball, so that a ball around 0 leaves open whether the coefficient
vanishes; nested exponentials need several scales, where a model has the powers of a single one.
"""
