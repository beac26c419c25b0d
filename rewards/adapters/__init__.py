"""The verifier as a training reward: one core (`scoring`), and what each trainer expects of it.

- `scoring`: items and a rubric to scores; what earns what is decided there and nowhere else.
- `form`: is there a box, just one, after well-formed thinking?
- `rows`: the text of a completion, whether it was cut off, what it has to answer.
- `for_trl`, `for_verl`, `for_openrlhf`: the contracts of these trainers. None imports its trainer.
"""
