"""GRPO with TRL. The two lines that matter are the import and ``reward_funcs``.

pip install '.[train]'
"""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

from calculus_harness.rewards.adapters.for_trl import make_reward

reward = make_reward(components=["correctness", "format"], eos_token_id=151645)  # Qwen's <|im_end|>
problems = load_dataset("json", data_files="train.jsonl", split="train")  # prompt, integrand
GRPOTrainer(
    "Qwen/Qwen3-0.6B", reward_funcs=reward, args=GRPOConfig("out"), train_dataset=problems
).train()
