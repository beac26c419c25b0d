#!/bin/sh
# GRPO with verl. Rows: data_source, prompt, reward_model = {"ground_truth": integrand}.
python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \
    data.train_files=train.parquet data.val_files=val.parquet \
    actor_rollout_ref.model.path=Qwen/Qwen3-0.6B \
    reward.custom_reward_function.path=pkg://calculus_harness.rewards.adapters.for_verl \
    reward.custom_reward_function.name=compute_score \
    '+reward.custom_reward_function.reward_kwargs.components=[correctness,format]' \
    '+reward.custom_reward_function.reward_kwargs.workers=2' \
    "$@"
