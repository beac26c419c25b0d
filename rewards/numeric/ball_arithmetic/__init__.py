"""Evaluation of expressions and derivatives in ball arithmetic, and the domains where they are
real.
"""
