"""Evaluation of expressions and derivatives in ball arithmetic, and the real domains of
expressions.
"""
