"""The version of the verifier's judgement: raised whenever a verdict could come out differently.

Runs keep the verdicts of different versions apart (`run.py score` makes those of a new one).
"""

VERSION = "3"
