"""The verifier as a training reward.

- `scoring`: rollouts and a rubric to scores.
- `components`: what a reward is the sum of: correctness, format, length, and your own.
- `rows`: the text of a completion, whether it was truncated, its target.
- `for_trl`, `for_verl`, `for_openrlhf`: the interfaces of these trainers. None imports its trainer.
- `environments`: tools and turns: for TRL, verl, OpenRLHF and SkyRL.
- `server`: a reward server over HTTP, also for slime and NeMo Gym.
"""
