"""More than one turn: a wrong answer is told something, and the model tries again.

- `feedback`: what a wrong answer is told.
- `conversation`: the turns of a run, each of which is a run in ``turns/`` beside its completions.
"""
