"""Judge claims about limits, series, differential equations and implicit functions."""
