"""Environments for trainers with several turns: the reward, and tools that check during a rollout.

- `tools`: functions that check an antiderivative or a step, for trainers that take functions.
- `episode`: a rollout, as text in and text out; every environment below adapts an `Episode`.
- `for_trl`: ``environment_factory`` of TRL.
- `for_openrlhf`: an ``AgentExecutor`` of OpenRLHF.
- `for_skyrl`: an environment of SkyRL (``skyrl-gym``).

`harness.integrations` has environments with problems of their own, for verifiers and OpenEnv. A
rollout has one turn or several. The further turns are checks by the tools, or attempts after
feedback (`adapters.feedback`).
"""
