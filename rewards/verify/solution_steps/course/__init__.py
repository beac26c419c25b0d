"""Questions of the calculus course: what their solutions are about."""
