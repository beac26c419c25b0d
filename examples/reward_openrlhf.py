"""For OpenRLHF: ``--reward.remote_url examples/reward_openrlhf.py``; labels are integrands.

Or, on another machine: ``run.py serve-reward --host 0.0.0.0 --eos-token '<|im_end|>'`` and
``--reward.remote_url http://that-machine:8000/get_reward``.
"""

from calculus_harness.rewards.adapters.for_openrlhf import make_reward_func

reward_func = make_reward_func(components=["correctness", "format"], eos_tokens=["<|im_end|>"])
