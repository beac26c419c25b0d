"""Training with TRL: supervised fine-tuning, GRPO with the verifier's reward, and encoders."""
