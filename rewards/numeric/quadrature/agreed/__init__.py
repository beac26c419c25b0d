"""Values without a proof: two quadratures that agree, and extrapolation over periods."""
