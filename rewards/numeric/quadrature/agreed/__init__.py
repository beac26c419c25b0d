"""Values without a proof, from two quadratures that agree or by extrapolation over periods."""
