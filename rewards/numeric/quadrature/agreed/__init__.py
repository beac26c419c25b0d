"""Values of integrals without a proof, by two quadratures or by extrapolation over periods."""
