"""Expansions of real functions at an end of their range, by two engines.

The first engine serves definite integrals and sums. `models` represents functions that are analytic
at the end by power series, with a bound on a disc. `forms` writes any function as a sum of
exponentials times factors that vary slowly.

The second engine serves limits. `germs` expands expressions with exact coefficients. `series` has
the terms of expansions, `multiseries` has the arithmetic of terms, and `functions` has the rules
for special functions.

Neither engine can replace the other. The series of a germ has no bound for its remainder, and at
infinity it may diverge, as Stirling's series does; a model has Cauchy's bound on a disc of
convergence. A coefficient of a model is a ball. If the ball contains 0, it is not known whether the
coefficient is zero; a germ decides this exactly. Nested exponentials need several scales, but a
model has the powers of one scale only.
"""
