"""Environments for rollouts with several turns: the reward, and tools that check formulas.

- `tools`: functions that check an antiderivative or a step, for trainers that take functions.
- `episode`: a rollout that takes and returns text. Every environment below adapts an `Episode`.
- `for_trl`: ``environment_factory`` of TRL.
- `for_openrlhf`: an ``AgentExecutor`` of OpenRLHF.
- `for_skyrl`: an environment of SkyRL (``skyrl-gym``).

`harness.integrations` has environments for two libraries, ``verifiers`` and OpenEnv. These
environments contain the problems. A rollout has one turn or several. In a further turn, the model
checks a formula with a tool, or answers again after feedback (`adapters.feedback`).
"""
