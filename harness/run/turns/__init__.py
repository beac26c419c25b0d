"""More than one turn: after feedback on a wrong answer, the model tries again.

- `feedback`: the message after a wrong answer.
- `conversation`: the turns of a run. Each turn is a run in ``turns/``.
"""
