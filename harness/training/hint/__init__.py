"""HINT's models: baselines (tables 2, 3), few-shot concepts (table 4), scaling (figure 3)."""

from .baselines import medians, train
from .settings import HintConfig, HintEvaluation, TrainingSection

__all__ = ["HintConfig", "HintEvaluation", "TrainingSection", "medians", "train"]
