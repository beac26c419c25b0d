"""The verifier as a training reward.

- `scoring`: rollouts and a rubric to scores.
- `components`: the summands of a reward: correctness, format, length, and your own.
- `rows`: the text of a completion, whether it was truncated, its target.
- `for_trl`, `for_verl`, `for_openrlhf`: the trainers' interfaces, without importing the trainers.
- `environments`: tools and turns: for TRL, verl, OpenRLHF and SkyRL.
- `server`: a reward server over HTTP, also for slime and NeMo Gym.
"""
