"""Training with the verifier as the reward: TRL's trainers, our data, our evaluation."""
