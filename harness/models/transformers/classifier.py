"""A sequence classifier of `run.py train encoder`, as a model that answers with a label."""

from __future__ import annotations

import asyncio
import importlib
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ....benchmarks.problem import Problem
from ...core.errors import ModelError
from ...core.requests import Completion, FinishReason, Request
from ..base import Capability, Model, operational
from ..checkpoints import directory_hash

TASKS = ("derivation_step", "calculus_step")
PUBLISHED, CLEAN, QUOTED = "published", "clean", "quoted"
TEXTS = (PUBLISHED, CLEAN, QUOTED)


@dataclass(frozen=True, kw_only=True)
class Encoder(Model):
    r"""An encoder with a classifier on top, from a directory of `run.py train encoder`.

    It is shown the problem's sequence and answers ``\boxed{0}`` or ``\boxed{1}``; prompt and
    sampling are ignored. ``text`` says how the sequence is written: as ``published`` (and as
    `generate` writes training sets), ``clean``, or ``quoted``, as the released evaluation script
    has it, which leaves the quotes and thin spaces in that training took away.
    """

    text: str = PUBLISHED
    max_tokens: int = 256
    device: str = operational("")  # "": a GPU if there is one
    batch_size: int = operational(64)

    example: ClassVar[str] = (
        "run.py sweep --model encoder/runs/encoder/model --benchmark derivations/step2"
    )

    def __post_init__(self) -> None:
        if self.text not in TEXTS:
            raise ValueError(f"text must be {', '.join(TEXTS[:-1])} or {TEXTS[-1]}")
        if self.batch_size < 1 or self.max_tokens < 2:
            raise ValueError("batch-size must be positive, max-tokens at least 2")
        if not (self._folder / "config.json").is_file():
            raise ModelError(f"model {self.spec}: there is no model in {self._folder}")

    @property
    def _folder(self) -> Path:
        return Path(self.spec.partition("/")[2])

    @property
    def capabilities(self) -> frozenset[Capability]:
        return super().capabilities | {Capability.SEED}

    def fingerprint(self) -> dict[str, Any]:
        # The place is not what the model is.
        return {"spec": "encoder", "files": self._hash}

    @cached_property
    def _hash(self) -> str:
        return directory_hash(self._folder)

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        batch: list[Request] = []
        async for request in requests:
            if request.problem.task not in TASKS:
                raise ModelError(
                    f"{self.spec} judges steps; it cannot do the task {request.problem.task!r}"
                )
            batch.append(request)
            if len(batch) == self.batch_size:
                for completion in await asyncio.to_thread(self._answer, batch):
                    yield completion
                batch = []
        if batch:
            for completion in await asyncio.to_thread(self._answer, batch):
                yield completion

    async def close(self) -> None:
        self.__dict__.pop("_classifier", None)

    def _answer(self, requests: Sequence[Request]) -> list[Completion]:
        start = time.perf_counter()
        found = self._classifier([shown(request.problem, self.text) for request in requests])
        latency = (time.perf_counter() - start) / len(requests)
        return [
            Completion.to(
                request,
                rf"\boxed{{{label}}}",
                finish_reason=FinishReason.STOP,
                logprob=logprob,
                prompt_tokens=tokens,
                latency=latency,
            )
            for request, (label, logprob, tokens) in zip(requests, found, strict=True)
        ]

    @cached_property
    def _classifier(self) -> _Classifier:
        return _Classifier(self)


def shown(problem: Problem, text: str) -> str:
    """What the encoder is shown of a problem, in one of the `TEXTS`."""
    if text == PUBLISHED:
        return str(problem.inputs["sequence"])
    if text == CLEAN:
        return str(problem.inputs["clean_sequence"])
    if problem.task != "derivation_step":
        raise ModelError("no evaluation script was released for the calculus task: no quoted text")
    return quoted(problem.inputs)


def quoted(inputs: Mapping[str, Any]) -> str:
    r"""The sequence as the released evaluation prints it: a list's quotes and ``\,`` stay."""
    from ....benchmarks.derivations.sequences import SEPARATOR, without_sizes

    steps = ", ".join(f"[{_items(name)}, '{equation}']" for name, equation in inputs["steps"])
    last = inputs["annotation"]
    context = f"[{steps}]{SEPARATOR}{_items(last)}".replace("[[", "[").replace("]]", "]")
    thin = "\0"
    text = (context + SEPARATOR + str(inputs["equation"])).replace(r"\,", thin)
    return without_sizes(text).replace(thin, r"\,")


def _items(annotation: str) -> str:
    """``[add, 1, x]`` as ``['add', 1, 'x']``; ``premise`` as ``'premise'``."""
    inner = re.fullmatch(r"\[(.*)\]", annotation, re.DOTALL)
    if inner is None:
        return f"'{annotation}'"
    name, *operands = re.split(r", (?=\d+(?:, |$))|(?<=\d), ", inner[1], maxsplit=2)
    items = [f"'{name}'", *(one if one.isdigit() else f"'{one}'" for one in operands)]
    return f"[{', '.join(items)}]"


class _Classifier:
    """The model in memory."""

    def __init__(self, options: Encoder) -> None:
        try:
            self.torch = importlib.import_module("torch")
            transformers: Any = importlib.import_module("transformers")
        except ImportError:
            raise ModelError(
                "models of the kind encoder need the extra 'train': "
                "pip install 'calculus-harness[train]'"
            ) from None
        cuda = self.torch.cuda.is_available()
        self.device, self.length = options.device or ("cuda" if cuda else "cpu"), options.max_tokens
        try:
            folder = str(options._folder)
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
            self.model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:300]
            raise ModelError(f"model {options.spec} cannot be loaded: {reason}") from None
        self.model = self.model.to(self.device).eval()

    def __call__(self, texts: Sequence[str]) -> list[tuple[int, float, int]]:
        """Of each text the likelier label, its log-probability in nats, and the tokens seen."""
        tokens = self.tokenizer(
            list(texts), truncation=True, max_length=self.length, padding=True, return_tensors="pt"
        ).to(self.device)
        with self.torch.inference_mode():
            chances = self.model(**tokens).logits.double().log_softmax(dim=-1)
        best, labels = chances.max(dim=-1)
        counts = tokens["attention_mask"].sum(dim=-1)
        return list(zip(labels.tolist(), best.tolist(), counts.tolist(), strict=True))
