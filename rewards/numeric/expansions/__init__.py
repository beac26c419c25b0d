"""Expansions of real functions at an end of a range or at a limit point, by two engines.

The first engine serves definite integrals and sums. `models` handles functions that are analytic at
the end. A model is a power series with a bound on a disc. `forms` writes a function as a sum. Each
term is an exponential times a slowly varying factor.

The second engine serves limits. A germ is an expansion with exact coefficients. `germs` computes
germs. `series` has the terms of expansions, `multiseries` has the arithmetic of terms, and
`functions` has the rules for special functions.

Neither engine can replace the other. The remainder of a germ has no bound, and the series may
diverge, as Stirling's series does. The remainder of a model has Cauchy's bound on a disc of
convergence. A coefficient of a germ is exact, but a coefficient of a model is a ball. If the ball
contains 0, it is not known whether the coefficient is zero. Nested exponentials need several growth
rates, but a model is a series in one variable only.
"""
