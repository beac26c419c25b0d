"""The verifier as a training reward.

- `scoring`: scores of rollouts by a rubric, which states the rules of a reward.
- `components`: the summands of a reward: correctness, format, length, and your own.
- `rows`: the data in trainers' rows, such as completions and targets.
- `for_trl`, `for_verl`, `for_openrlhf`: functions that trainers call. No trainer is imported.
- `environments`: rollouts with tools or several turns, for TRL, verl, OpenRLHF and SkyRL.
- `server`: a reward server over HTTP, also for slime and NeMo Gym.
"""
