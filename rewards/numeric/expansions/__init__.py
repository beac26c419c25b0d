"""Expansions of real functions at an end of their range, with proved bounds of what is dropped.

`models` holds functions that are analytic at the end as power series with a bound on a disc;
`forms` writes any function as a sum of exponentials times factors that vary slowly.
"""
