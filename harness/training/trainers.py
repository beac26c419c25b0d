"""Trainers, resumable from checkpoints: TRL's with the verifier's reward, and of pairs."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...benchmarks.lample_charton.codec.prefix import model_input
from ...benchmarks.lample_charton.codec.released import CountedPair
from ...benchmarks.lample_charton.codec.vocabulary import encode
from ...rewards.adapters.components import load_component
from ...rewards.adapters.for_trl import make_reward
from ..core.errors import UserError, suggest
from .config import ModelSection, RewardSection

#: The trackers that the trainers' callbacks support.
TRACKERS = ("tensorboard", "trackio", "wandb")


def train_sft(
    start: str,
    rows: Sequence[Mapping[str, Any]],
    out: Path,
    *,
    model: ModelSection,
    options: Mapping[str, Any],
    seed: int,
    report_to: Sequence[str] = (),
) -> None:
    """Fine-tune on prompts with completions; the loss is over the completions."""
    import datasets
    from trl import SFTConfig, SFTTrainer

    options = reported(options, report_to, out)
    config = _config(SFTConfig, "sft", options, out, seed, completion_only_loss=True)
    trainer = SFTTrainer(
        model=_model(start, model),
        args=config,
        train_dataset=datasets.Dataset.from_list([dict(row) for row in rows]),
        processing_class=_tokenizer(start),
        peft_config=_lora(model),
    )
    run_trainer(trainer, out)


def train_grpo(
    start: str,
    rows: Sequence[Mapping[str, Any]],
    out: Path,
    *,
    model: ModelSection,
    reward: RewardSection,
    options: Mapping[str, Any],
    seed: int,
    report_to: Sequence[str] = (),
) -> None:
    """Train by GRPO on prompts, with the verifier's reward."""
    import datasets
    from trl import GRPOConfig, GRPOTrainer

    options = reported(options, report_to, out)
    config = _config(GRPOConfig, "grpo", options, out, seed)
    tokenizer = _tokenizer(start)
    reward_function = make_reward(
        reward.task,
        components=tuple(map(load_component, reward.components)),
        weights=reward.weights,
        strict=reward.strict,
        eos_token_id=tokenizer.eos_token_id,
        max_completion_length=config.max_completion_length,
    )
    trainer = GRPOTrainer(
        model=start if config.beta else _model(start, model),
        args=config,
        reward_funcs=reward_function,
        train_dataset=datasets.Dataset.from_list([dict(row) for row in rows]),
        processing_class=tokenizer,
        peft_config=_lora(model),
    )
    run_trainer(trainer, out)


def train_seq2seq(
    start: str,
    pairs: Sequence[CountedPair],
    valid: Sequence[CountedPair],
    out: Path,
    *,
    options: Mapping[str, Any],
    seed: int,
) -> None:
    """Train an encoder-decoder on pairs in prefix tokens; ``valid`` is only for the validation
    loss.
    """
    import datasets
    from transformers import (
        AutoModelForSeq2SeqLM,
        AutoTokenizer,
        DataCollatorForSeq2Seq,
        Seq2SeqTrainer,
        Seq2SeqTrainingArguments,
    )

    def encoded(chosen: Sequence[CountedPair]) -> Any:
        sources = [encode(model_input(pair.integrand)) for pair in chosen]
        targets = [encode(pair.antiderivative)[1:] for pair in chosen]
        return datasets.Dataset.from_dict({"input_ids": sources, "labels": targets})

    model, tokenizer = (
        auto_class.from_pretrained(start) for auto_class in (AutoModelForSeq2SeqLM, AutoTokenizer)
    )
    trainer = Seq2SeqTrainer(
        model=model,
        args=_config(Seq2SeqTrainingArguments, "training", options, out, seed),
        train_dataset=encoded(pairs),
        eval_dataset=encoded(valid) if valid else None,
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
    )
    run_trainer(trainer, out)


def reward_share(log: Path) -> float | None:
    """Return the share of time spent in the reward, from the ``log.jsonl`` of a GRPO run.

    Returns None if TRL has logged no times of steps.
    """
    spent = total = 0.0
    for line in log.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        seconds = [value for name, value in entry.items() if name.endswith("_reward/seconds")]
        if seconds and "step_time" in entry:
            spent += sum(seconds)
            total += entry["step_time"]
    return spent / total if total else None


def last_checkpoint(folder: Path) -> str | None:
    """Return the last complete checkpoint of a trainer's output directory.

    The trainer writes ``trainer_state.json`` last; a killed run may leave a checkpoint without.
    """
    complete = []
    for state in folder.glob("checkpoint-*/trainer_state.json"):
        with contextlib.suppress(ValueError):
            complete.append((json.loads(state.read_bytes())["global_step"], str(state.parent)))
    return max(complete)[1] if complete else None


def refuse_missing(trackers: Sequence[str]) -> None:
    """Raise `UserError` for a tracker that is unknown or not installed, before the training."""
    for name in trackers:
        if name not in TRACKERS:
            raise UserError(f"unknown tracker {name!r}; {suggest(name, TRACKERS)}")
        if importlib.util.find_spec(name) is None:
            raise UserError(f"{name} is not installed: pip install {name}")


def reported(options: Mapping[str, Any], trackers: Sequence[str], out: Path) -> Mapping[str, Any]:
    """Return a trainer's options with the library's callbacks for the trackers.

    The run's name is the path of the training's directory and stage, as in ``runs/rl/grpo``.
    TensorBoard's files are in the stage's directory ``tensorboard``.
    """
    if not trackers:
        return options
    os.environ["TENSORBOARD_LOGGING_DIR"] = str(out / "tensorboard")  # read by the callback
    return {"report_to": list(trackers), "run_name": str(out)} | dict(options)


def _config(
    config_class: Any, section: str, options: Mapping[str, Any], out: Path, seed: int, **fixed: Any
) -> Any:
    """Return a configuration of TRL, with defaults for this machine."""
    import torch

    parameters = inspect.signature(config_class).parameters
    reserved = {"output_dir", "seed", *fixed}
    for name in options:
        if name in reserved:
            raise UserError(f"{section}: {name} is set by this program")
        if name not in parameters:
            raise UserError(f"{section}: unknown setting {name!r}; {suggest(name, parameters)}")
    gpu = torch.cuda.is_available()
    defaults: dict[str, Any] = {
        "use_cpu": not gpu,
        "bf16": gpu,
        "gradient_checkpointing": gpu,
        "report_to": "none",
        "save_strategy": "steps",
        "save_total_limit": 2,
        "logging_steps": 10,
    }
    defaults = {name: value for name, value in defaults.items() if name in parameters}
    settings = defaults | dict(options) | fixed
    try:
        return config_class(output_dir=str(out / "checkpoints"), seed=seed, **settings)
    except (TypeError, ValueError) as error:
        raise UserError(f"{section}: {error}") from None


def _model(start: str, section: ModelSection) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(start, dtype=getattr(torch, section.dtype))


def _tokenizer(start: str) -> Any:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(start, padding_side="left")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def _lora(section: ModelSection) -> Any:
    if section.lora is None:
        return None
    from peft import LoraConfig

    return LoraConfig(task_type="CAUSAL_LM", **section.lora)


def run_trainer(trainer: Any, out: Path) -> None:
    """Train from the last checkpoint, if any; then write ``log.jsonl`` and ``model/``."""
    trainer.train(resume_from_checkpoint=last_checkpoint(out / "checkpoints"))
    model = trainer.model
    if hasattr(model, "merge_and_unload"):  # an adapter is merged into the model
        model = model.merge_and_unload()
    unfinished = out / "model.part"
    model.save_pretrained(unfinished)
    trainer.processing_class.save_pretrained(unfinished)
    log = "".join(json.dumps(entry) + "\n" for entry in trainer.state.log_history)
    (out / "log.jsonl").write_text(log, encoding="utf-8")
    if "wandb" in trainer.args.report_to:  # its callback leaves the run open for the next trainer
        import wandb

        wandb.finish()
    unfinished.rename(out / "model")
