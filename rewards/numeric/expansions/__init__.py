"""Expansions of real functions at an end of their range, by two engines.

The first engine serves definite integrals and sums. `models` handles functions that are analytic at
the end. A model is a power series with a bound on a disc. `forms` writes any function as a sum of
exponentials times factors that vary slowly.

The second engine serves limits. `germs` computes expansions with exact coefficients, called germs.
`series` has the terms of expansions, `multiseries` has the arithmetic of terms, and `functions` has
the rules for special functions.

Neither engine can replace the other. The series of a germ has no bound for the remainder, and may
diverge at infinity, as Stirling's series does; a model has Cauchy's bound on a disc of convergence.
A coefficient of a model is a ball. If the ball contains 0, it is not known whether the coefficient
is zero; a coefficient of a germ is exact. Nested exponentials need several scales, but a model has
the powers of one scale only.
"""
