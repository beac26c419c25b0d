"""Environments: the reward, and tools that check while a model works, for trainers that have turns.

- `tools`: functions that check an antiderivative or a step; for every trainer that takes functions.
- `episode`: one rollout, as text in and text out; every environment below is a thin face of it.
- `for_trl`: ``environment_factory`` of TRL.
- `for_openrlhf`: an ``AgentExecutor`` of OpenRLHF.
- `for_skyrl`: an environment of SkyRL (``skyrl-gym``).

`harness.integrations` has those that bring their own problems: verifiers and OpenEnv. A rollout has
one turn, or several: checks by the tools, and attempts with feedback (`adapters.feedback`).
"""
