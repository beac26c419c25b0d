"""Expansions of real functions at an end of a range or at a limit point, by two engines.

Both engines expand an expression by the same walk and the same formulas of functions (`functions`).
The first engine serves definite integrals and sums: `models` are power series with a bound on a
disc, and `forms` are sums of exponentials times slowly varying factors. The second engine serves
limits: `series` has the terms of expansions, `multiseries` their arithmetic, and `germs` the
expansion of an expression, which is called a germ.

The arithmetic stands twice, because what each engine needs is what the other cannot have:

* Bounds. The remainder of a model has Cauchy's bound on a disc, so that the integral of
  x/(e^x - 1) is enclosed. The remainder of a germ has no bound, and the series may diverge, as
  Stirling's series does.
* Zero tests. A coefficient of a germ is exact, and the prover or Calcium decides that
  sqrt(2) sqrt(3) - sqrt(6) + x begins with x. A coefficient of a model is a ball, and nobody knows
  whether a ball around 0 is 0. Only the first coefficient may be known as a polynomial in pi.
* Growth rates. A germ has several, such as e^{e^x} and ln x. A model is a series in one variable.
* Exact identities. A form keeps a factor without expansion, as in e^{-y} sqrt(ln y + sin y), which
  is then integrated. A germ needs the leading term of each factor.
* Speed. python-flint multiplies two models with 100 coefficients in one call. Germs multiply 5,000
  pairs of exact numbers one by one, and the numbers grow with the degree.
"""
