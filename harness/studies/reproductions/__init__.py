"""The published tables and figures, the commands that reproduce them, and the numbers measured
here.
"""
