"""The training of one model: resumable, with selection on the validation set.

The folder of a training:

- ``checkpoint.pt``: an interrupted training goes on from this file, to the same weights
- ``log.jsonl``: loss, seconds and validation accuracy at every ``save_steps``
- ``model/``: sizes and the weights with the best validation accuracy, after the training
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from ....rewards.records import plain
from ...models.seq2seq.networks import Seq2SeqNetwork, make
from ...models.seq2seq.sizes import Sizes, answer
from ...store.atomic import replacing
from . import examples as data
from .examples import ExampleReader, Examples
from .settings import TrainingSection

#: Gradients are cut to this norm (Li et al. 2023, section 4.3).
CLIP = 5.0
#: Expressions that are decoded at a time: some hundred megabytes of activations at full size.
DECODED = 256


@dataclass(frozen=True)
class Fit:
    """The settings of a training.

    Attributes:
        sizes: the sizes of the model.
        train: the training examples.
        seed: the seed of weights, order and dropout.
        steps: the number of steps.
        batch_size: the number of examples in a step.
        rate: the learning rate.
        save_steps: the number of steps between two checkpoints.
        rehearsal: examples that make up half of each batch, against forgetting.
        start: the folder of a model with the initial weights; None for random weights.
        validation: by split, the examples whose accuracy selects the weights; without examples the
            last weights are stored.
        pictures: the folder of handwriting.
        data_seed: the seed of the pools of pictures.
        device: the device of the training; by default a GPU, if available.
        bf16: whether products of matrices are computed in bfloat16.

    """

    sizes: Sizes
    train: Examples
    seed: int
    steps: int
    batch_size: int
    rate: float
    save_steps: int
    rehearsal: Examples | None = None
    start: Path | None = None
    validation: Mapping[str, Examples] = field(default_factory=dict)
    pictures: str = ""
    data_seed: int = 0
    device: str = ""
    bf16: bool = False

    @classmethod
    def of(
        cls, options: TrainingSection, sizes: Sizes, train: Examples, seed: int, **further: Any
    ) -> Fit:
        """The training of a model with a configuration's settings; ``further`` are fields."""
        names = ("steps", "batch_size", "save_steps", "device", "bf16")
        own = {name: getattr(options, name) for name in names}
        return cls(sizes, train, seed, **own | {"rate": options.rate(sizes.kind)} | further)

    @property
    def resolved_device(self) -> str:
        """The name of the device: as set, or a GPU, if available."""
        return self.device or ("cuda" if torch.cuda.is_available() else "cpu")

    def steps_left(self, done: int) -> Iterator[tuple[int, list[int], list[int]]]:
        """Each step with the indices of its examples, and of the rehearsed examples."""
        if self.rehearsal is None:
            for step, chosen in data.batches(
                len(self.train), self.batch_size, self.steps, self.seed, done
            ):
                yield step, chosen, []
            return
        # Half of a batch is rehearsed, against forgetting.
        half = self.batch_size // 2
        new_steps = data.batches(
            len(self.train), self.batch_size - half, self.steps, self.seed, done
        )
        old_steps = data.batches(len(self.rehearsal), half, self.steps, self.seed, done)
        for (step, chosen), (_, rehearsed) in zip(new_steps, old_steps, strict=True):
            yield step, chosen, rehearsed


def fit(settings: Fit, folder: Path) -> None:
    """Train a model, or resume the training; a finished model is not changed."""
    if (folder / "model").is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    device = settings.resolved_device
    torch.manual_seed(settings.seed)
    network = make(settings.sizes).to(device)
    if settings.start is not None:
        network.load_state_dict(load_file(settings.start / "model" / "model.safetensors"))
    optimizer = torch.optim.Adam(network.parameters(), settings.rate)
    # An interrupted training goes on from its last checkpoint. Order and dropout depend on the seed
    # and the step alone, so that the weights are those of an uninterrupted training.
    checkpoint = folder / "checkpoint.pt"
    state: dict[str, Any] = {"step": 0, "seconds": 0.0, "best": None, "accuracy": -1.0}
    if checkpoint.is_file():
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
    reader = ExampleReader(settings.sizes.inputs, device, settings.pictures, settings.data_seed)
    began = time.perf_counter() - state["seconds"]
    best, accuracy = state["best"], state["accuracy"]
    losses: list[torch.Tensor] = []
    for step, chosen, rehearsed in settings.steps_left(state["step"]):
        network.train()
        torch.manual_seed(step * 1_000_003 + settings.seed)  # dropout, the same when resumed
        with torch.autocast(torch.device(device).type, torch.bfloat16, enabled=settings.bf16):
            loss = network.loss(*reader.read(settings.train, chosen))
            if settings.rehearsal is not None:
                loss = (loss + network.loss(*reader.read(settings.rehearsal, rehearsed))) / 2
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimizer.step()
        losses.append(loss.detach())
        if step % settings.save_steps and step != settings.steps:
            continue
        # The best weights so far are kept in the checkpoint: a resumed training has them as well.
        accuracies = validated(network.eval(), settings.validation, reader)
        if accuracies and mean(accuracies.values()) > accuracy:
            accuracy = mean(accuracies.values())
            best = {name: tensor.clone() for name, tensor in network.state_dict().items()}
        seconds = time.perf_counter() - began
        row = {"step": step, "loss": float(torch.stack(losses).mean()), "seconds": seconds}
        with replacing(checkpoint) as file:
            state = {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
            state |= {"step": step, "seconds": seconds, "best": best, "accuracy": accuracy}
            torch.save(state, file)
        with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(row | ({"validation": accuracies} if accuracies else {})) + "\n")
        losses = []
    _write(best or network.state_dict(), settings.sizes, folder)
    checkpoint.unlink()


def _write(weights: Mapping[str, torch.Tensor], sizes: Sizes, folder: Path) -> None:
    """Write the finished model; an interruption leaves no incomplete directory ``model``."""
    finished = folder / "model.part"
    finished.mkdir(exist_ok=True)
    save_file(dict(weights), finished / "model.safetensors")
    (finished / "config.json").write_text(json.dumps(plain(sizes), indent=2) + "\n", "utf-8")
    finished.rename(folder / "model")


def validated(
    network: Seq2SeqNetwork, sets: Mapping[str, Examples], reader: ExampleReader
) -> dict[str, float]:
    """The accuracy of greedy answers on each set."""
    accuracies = {}
    for split, examples in sets.items():
        right = 0
        for start in range(0, len(examples), DECODED):
            chosen = range(start, min(start + DECODED, len(examples)))
            source, _, windows = reader.read(examples, chosen, "val")
            written = map(answer, network.answers(source, windows))
            results = (str(examples.values[at]) for at in chosen)
            right += sum(text == result for text, result in zip(written, results, strict=True))
        accuracies[split] = right / len(examples)
    return accuracies


def logged(folder: Path) -> list[dict[str, Any]]:
    """The rows of a training's log."""
    text = (folder / "log.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
