r"""Encoders that judge derivations: sequence classifiers trained as in Meadows et al., section 4.

    settings.json   what was asked for; other settings need another directory
    start/          the model made from scratch, where there is one
    checkpoints/    what an interrupted training goes on from
    log.jsonl       losses, and the validation's numbers
    model/          the best checkpoint by validation F1, when finished

The defaults of `Settings` are the paper's. Batches are padded to their longest sequence and not to
256 tokens: padding is masked, so that the result is the same for less work.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ..core.errors import UserError
from ..stats.metrics import Labels
from .directory import reserve
from .trainers import last_checkpoint

Row: TypeAlias = Mapping[str, Any]

SCRATCH = "scratch"
TASKS = ("derivation_step", "calculus_step")
PAD, START, END, UNKNOWN = "[PAD]", "[CLS]", "[SEP]", "[UNK]"
#: The standard deviation of random weights. With BERT's own 0.02, meant for a width of 768, a model
#: as small as this one is nearly the same function of all sequences, and learns late.
SPREAD = 0.1
#: A command, a word (the name of an operation), the marks of a function's arguments, or one sign.
TOKENS = r"\[SEP\]|\\[A-Za-z]+|[A-Za-z_]{3,}|\{\(|\)\}|\S"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A training run.

    ``model`` is a directory, a hub's id, or ``scratch`` for a small BERT with random weights of
    the sizes below, whose words are the tokens of ``data``. ``steps`` (of the step task) is only
    checked: the data must be of so many. ``straddle`` divides train and validation anew without
    keeping the two sequences of an example together, as the released code does.
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
    hidden: int = 128
    layers: int = 2
    heads: int = 4
    dropout: float = 0.1

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise UserError(f"unknown task {self.task!r}; known: {', '.join(TASKS)}")
        if min(self.epochs, self.batch_size, self.learning_rate, self.every, self.layers) <= 0:
            raise UserError("epochs, batch size, learning rate, every and layers must be positive")
        if self.warmup < 0 or not 0 <= self.dropout < 1:
            raise UserError("warm-up steps cannot be negative, nor dropout outside 0 to 1")
        if self.max_tokens < 2 or self.heads < 1 or self.hidden % self.heads:
            raise UserError("at least 2 tokens are needed, and a hidden size divisible by heads")


def train(settings: Settings, out: Path, *, say: Callable[[str], None] = lambda text: None) -> Path:
    """Carry out ``settings`` in ``out``, as far as that was not done; the trained model's place."""
    rows = read(Path(settings.data), settings)
    reserve(out, "settings.json", asdict(settings))
    model = out / "model"
    if model.is_dir():
        return model
    start = settings.model
    if start == SCRATCH:
        folder = out / "start"
        if not folder.is_dir():
            part = out / "start.part"
            make(part, [row["text"] for split in rows.values() for row in split], settings)
            part.rename(folder)
        start = str(folder)
    say(f"training {settings.model} on {len(rows['train'])} sequences")
    _fit(start, rows, out, settings)
    return model


def read(folder: Path, settings: Settings) -> dict[str, list[Row]]:
    """The splits of `generate derivations` or `generate calculus`: rows with text and label."""
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
    kind = str(rows["train"][0]["group"])
    if kind.startswith("step") != (settings.task == "derivation_step"):
        raise UserError(f"{folder} is not of the task {settings.task}: it holds {kind}")
    if settings.steps is not None and not kind.startswith(f"step{settings.steps}-"):
        raise UserError(f"{folder} has no derivations of {settings.steps} steps: it holds {kind}")
    if settings.straddle:
        rows |= straddling([*rows["train"], *rows["validation"]], settings.seed)
    return rows


def straddling(rows: Sequence[Row], seed: int) -> dict[str, list[Row]]:
    """80 % and 20 % of the sequences, whichever derivation they are from."""
    shuffled = random.Random(seed).sample(list(rows), len(rows))
    cut = len(rows) * 4 // 5
    return {"train": shuffled[:cut], "validation": shuffled[cut:]}


def make(folder: Path, texts: Sequence[str], settings: Settings) -> None:
    """Write a BERT with random weights, and a tokenizer with a word for each token of ``texts``.

    The texts of the perturbed test sets are among them: a Greek letter is then a name that was
    never trained on, as it is for a pretrained model, and not the same unknown word as all others.
    """
    import torch
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    splitter = pre_tokenizers.Split(Regex(TOKENS), "removed", invert=True)
    found = {token for text in texts for token, _ in splitter.pre_tokenize_str(text)}
    special = (PAD, START, END, UNKNOWN)
    vocabulary = {token: n for n, token in enumerate((*special, *sorted(found - set(special))))}
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
            initializer_range=SPREAD,
            hidden_dropout_prob=settings.dropout,
            attention_probs_dropout_prob=settings.dropout,
        )
    )
    model.save_pretrained(folder)
    fast.save_pretrained(folder)


def scores(predicted: Any) -> dict[str, float]:
    """Accuracy, and F1 of label 1, of `transformers.EvalPrediction`."""
    given = predicted.predictions.argmax(axis=-1).tolist()
    found = Labels.of(predicted.label_ids.tolist(), given)
    return {"accuracy": found.accuracy, "f1": found.f1(1)}


def _fit(start: str, rows: Mapping[str, Sequence[Row]], out: Path, settings: Settings) -> None:
    import datasets
    import torch
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
    )

    try:
        tokenizer = AutoTokenizer.from_pretrained(start)
        model = AutoModelForSequenceClassification.from_pretrained(start, num_labels=2)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise UserError(f"model {start} cannot be loaded: {reason}") from None

    def encoded(split: str) -> Any:
        texts = [row["text"] for row in rows[split]]
        tokens = tokenizer(texts, truncation=True, max_length=settings.max_tokens)
        labels = [int(row["label"]) for row in rows[split]]
        return datasets.Dataset.from_dict({**tokens, "labels": labels})

    train_set, validation = encoded("train"), encoded("validation")
    whole = int(-(-len(train_set) // settings.batch_size) * settings.epochs)
    every = max(1, min(settings.every, whole))  # a short training is evaluated at its end
    checkpoints = out / "checkpoints"
    arguments = TrainingArguments(
        output_dir=str(checkpoints),
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
        compute_metrics=scores,
    )
    trainer.train(resume_from_checkpoint=last_checkpoint(checkpoints))
    unfinished = out / "model.part"
    trainer.save_model(str(unfinished))
    log = "".join(json.dumps(entry) + "\n" for entry in trainer.state.log_history)
    (out / "log.jsonl").write_text(log, encoding="utf-8")
    unfinished.rename(out / "model")
